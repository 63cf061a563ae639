#include <boost/python.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "handle_table.hpp"

extern "C" {
struct gl_layer;
struct gl_feature;
gl_layer* gl_layer_open(const char* path);
void gl_layer_free(gl_layer* layer); /* frees the features too; NULL is ignored */
gl_feature* gl_layer_insert(gl_layer* layer, const char* wkt);
long gl_feature_fid(const gl_feature* feature);
/* A fid is never given twice. NULL when the feature is gone. */
gl_feature* gl_layer_by_fid(gl_layer* layer, long fid);
double gl_feature_area(const gl_feature* feature);
void gl_layer_savepoint(gl_layer* layer);
/* Frees the features that were inserted since the savepoint. */
void gl_layer_rollback(gl_layer* layer);
}

class layer_proxy;

class feature_proxy {
public:
    feature_proxy(std::shared_ptr<layer_proxy> layer, gl_feature* native)
        : layer_(std::move(layer)), native_(native), fid_(gl_feature_fid(native))
    {
    }
    ~feature_proxy();

    double area() const { return gl_feature_area(usable()); }
    void detach() { native_ = nullptr; }

private:
    const gl_feature* usable() const;
    std::shared_ptr<layer_proxy> layer_;
    gl_feature* native_;
    long fid_;
};

class layer_proxy : public handle_table<gl_feature, feature_proxy>,
                    public std::enable_shared_from_this<layer_proxy> {
public:
    explicit layer_proxy(const std::string& path) : layer_(gl_layer_open(path.c_str()))
    {
        if (!layer_)
            throw std::runtime_error("cannot open layer " + path);
    }
    ~layer_proxy() { close(); }

    std::shared_ptr<feature_proxy> insert(const std::string& wkt)
    {
        gl_feature* native = gl_layer_insert(opened(), wkt.c_str());
        if (!native)
            throw std::invalid_argument("bad geometry");
        return track(native, std::make_shared<feature_proxy>(shared_from_this(), native));
    }

    void savepoint() { gl_layer_savepoint(opened()); }
    void rollback() { gl_layer_rollback(opened()); }

    void close()
    {
        detach_all();
        gl_layer_free(layer_);
        layer_ = nullptr;
    }

    gl_layer* native() const { return layer_; }

private:
    gl_layer* opened() const
    {
        if (!layer_)
            throw std::runtime_error("layer is closed");
        return layer_;
    }
    gl_layer* layer_;
};

feature_proxy::~feature_proxy()
{
    if (native_)
        layer_->untrack(native_, this);
}

const gl_feature* feature_proxy::usable() const
{
    if (!native_)
        throw std::runtime_error("the layer of this feature is closed");
    if (gl_layer_by_fid(layer_->native(), fid_) != native_)
        throw std::runtime_error("the feature was rolled back");
    return native_;
}

BOOST_PYTHON_MODULE(_geolayer)
{
    using namespace boost::python;
    class_<feature_proxy, std::shared_ptr<feature_proxy>, boost::noncopyable>("Feature", no_init)
        .add_property("area", &feature_proxy::area);
    class_<layer_proxy, std::shared_ptr<layer_proxy>, boost::noncopyable>("Layer", init<std::string>())
        .def("insert", &layer_proxy::insert)
        .def("savepoint", &layer_proxy::savepoint).def("rollback", &layer_proxy::rollback)
        .def("close", &layer_proxy::close);
}
