#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Cad
{

class Shape
{
public:
    virtual ~Shape() {}
    virtual double Area() const = 0;
    const std::string& Layer() const { return m_Layer; }
    void SetLayer(const std::string& layer) { m_Layer = layer; }

private:
    std::string m_Layer = "0";
};

class Rectangle : public Shape
{
public:
    Rectangle(double w, double h) : m_Width(w), m_Height(h) {}
    double Area() const override { return m_Width * m_Height; }
    void Scale(double f) { m_Width *= f; m_Height *= f; }

private:
    double m_Width;
    double m_Height;
};

typedef std::shared_ptr<Shape> ShapePtr;
typedef std::shared_ptr<Rectangle> RectanglePtr;

class Sheet
{
public:
    RectanglePtr AddPart(double w, double h)
    {
        m_Parts.push_back(std::make_shared<Rectangle>(w, h));
        return m_Parts.back();
    }

    double TotalArea() const
    {
        double sum = 0.0;
        for (const auto& part : m_Parts)
            sum += part->Area();
        return sum;
    }

    void ScaleLayer(const std::string& layer, double factor)
    {
        for (const auto& part : m_Parts)
        {
            if (part->Layer() != layer)
                continue;
            std::static_pointer_cast<Rectangle>(part)->Scale(factor);
        }
    }

    void RemoveLayer(const std::string& layer)
    {
        m_Parts.erase(std::remove_if(m_Parts.begin(), m_Parts.end(),
                                     [&](const auto& part) { return part->Layer() == layer; }),
                      m_Parts.end());
    }

    size_t Count() const { return m_Parts.size(); }

private:
    std::vector<RectanglePtr> m_Parts;
};

}
