#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixer {

// Owned by the engine; freed when the project that holds it is closed.
struct NativeTrack {
  std::string name;
  float gain = 1.0f;
  float pan = 0.0f;
  bool muted = false;
  std::vector<float> peaks;
};

class StaleTrackError : public std::runtime_error {
 public:
  StaleTrackError() : std::runtime_error("track belongs to a closed project") {}
};

class ScriptTrack {
 public:
  explicit ScriptTrack(NativeTrack* track) : m_track(track), m_label(track->name) {}

  void detach() { m_detached = true; }
  bool isDetached() const { return m_detached; }

  const std::string& name() const {
    ensureAttached();
    return m_track->name;
  }

  void rename(std::string name) {
    ensureAttached();
    m_track->name = std::move(name);
  }

  float gain() const {
    ensureAttached();
    return m_track->gain;
  }

  void setGain(float g) {
    ensureAttached();
    m_track->gain = g < 0.0f ? 0.0f : g;
  }

  void setPan(float p) {
    ensureAttached();
    if (p < -1.0f || p > 1.0f) throw std::invalid_argument("pan");
    m_track->pan = p;
  }

  void toggleMute() {
    ensureAttached();
    m_track->muted = !m_track->muted;
  }

  float peakAt(std::size_t block) const {
    if (block >= m_track->peaks.size()) return 0.0f;
    return m_track->peaks[block];
  }

  std::string describe() const { return "<track " + m_label + ">"; }

 private:
  void ensureAttached() const {
    if (m_detached) throw StaleTrackError();
  }

  NativeTrack* m_track;
  std::string m_label;
  bool m_detached = false;
};

class ScriptProject {
 public:
  ScriptProject() = default;
  ScriptProject(const ScriptProject&) = delete;
  ScriptProject& operator=(const ScriptProject&) = delete;

  ScriptTrack* wrap(NativeTrack* t) {
    m_scripts.push_back(new ScriptTrack(t));
    return m_scripts.back();
  }
  void addTrack(NativeTrack* t) { m_tracks.push_back(t); }
  void close() {
    for (ScriptTrack* s : m_scripts) s->detach();
    for (NativeTrack* t : m_tracks) delete t;
    m_tracks.clear();
  }
  ~ScriptProject() {
    close();
    for (ScriptTrack* s : m_scripts) delete s;
  }

 private:
  std::vector<NativeTrack*> m_tracks;
  std::vector<ScriptTrack*> m_scripts;
};

}  // namespace mixer
