#include <cstdio>
#include <string>
#include <utility>
#include <vector>

struct MenuItem {
  const char* text;
  int command;
};

struct Menu {
  std::vector<MenuItem> items;
};

void Draw(const Menu& menu) {
  for (const MenuItem& item : menu.items) std::printf("[%d] %s\n", item.command, item.text);
}

class MenuBuilder {
 public:
  explicit MenuBuilder(Menu* menu) : menu_(menu) {}

  MenuBuilder& AddStatic() {
    menu_->items.push_back({"Open...", 1});
    menu_->items.push_back({"Save", 2});
    return *this;
  }

  MenuBuilder& AddRecent(const std::vector<std::string>& paths) {
    int command = 100;
    for (const std::string& path : paths) {
      const std::size_t slash = path.find_last_of('/');
      std::string label = std::to_string(command - 99) + ". ";
      label += slash == std::string::npos ? path : path.substr(slash + 1);
      menu_->items.push_back({label.c_str(), command++});
    }
    return *this;
  }

 private:
  Menu* menu_;
};

int main(int argc, char** argv) {
  std::vector<std::string> recent(argv + 1, argv + argc);
  Menu menu;
  MenuBuilder(&menu).AddStatic().AddRecent(recent);
  Draw(menu);
  return 0;
}
