#include <iostream>

#include "meridian/map_labeler.h"

int main() {
  meridian::MapLabeler labeler(800, 600);
  const auto placed = labeler.Place({
      {"Oslo", {400, 300}, 10},
      {"Lillestrøm", {410, 296}, 3},
      {"Drammen", {200, 380}, 5},
  });
  for (const meridian::PlacedLabel& entry : placed) {
    std::cout << entry.label.text << " " << entry.area.left << ","
              << entry.area.top << "\n";
  }
}
