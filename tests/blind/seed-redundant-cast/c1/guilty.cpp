#include <cassert>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace quillc {

/// Base of everything that can be named in a translation unit.
class Decl {
public:
  enum Kind { DK_Function, DK_Global };

private:
  const Kind TheKind;
  std::string Name;

public:
  Decl(Kind K, std::string N) : TheKind(K), Name(std::move(N)) {}
  virtual ~Decl() = default;

  Kind getKind() const { return TheKind; }
  const std::string &getName() const { return Name; }
};

class GlobalDecl : public Decl {
  long Initializer = 0;

public:
  GlobalDecl(std::string N, long Init)
      : Decl(DK_Global, std::move(N)), Initializer(Init) {}
  long getInitializer() const { return Initializer; }
};

class FunctionDecl : public Decl {
  unsigned NumParams;
  std::vector<FunctionDecl *> Callees;
  bool Reachable = false;

public:
  FunctionDecl(std::string N, unsigned Params)
      : Decl(DK_Function, std::move(N)), NumParams(Params) {}

  unsigned getNumParams() const { return NumParams; }
  void addCallee(FunctionDecl *F) { Callees.push_back(F); }
  const std::vector<FunctionDecl *> &callees() const { return Callees; }

  bool isReachable() const { return Reachable; }
  void setReachable() { Reachable = true; }
};

class Module {
  std::vector<std::unique_ptr<GlobalDecl>> Globals;
  std::vector<std::unique_ptr<FunctionDecl>> Functions;
  std::map<std::string, Decl *> Symbols;

public:
  FunctionDecl *addFunction(std::string Name, unsigned Params) {
    assert(!Symbols.count(Name) && "symbol is already declared");
    Functions.push_back(
        std::make_unique<FunctionDecl>(std::move(Name), Params));
    FunctionDecl *F = Functions.back().get();
    Symbols[F->getName()] = F;
    return F;
  }

  GlobalDecl *addGlobal(std::string Name, long Init) {
    assert(!Symbols.count(Name) && "symbol is already declared");
    Globals.push_back(std::make_unique<GlobalDecl>(std::move(Name), Init));
    GlobalDecl *G = Globals.back().get();
    Symbols[G->getName()] = G;
    return G;
  }

  /// \returns the function called \p Name, or null.
  FunctionDecl *lookupFunction(const std::string &Name) const {
    auto It = Symbols.find(Name);
    if (It == Symbols.end() || It->second->getKind() != Decl::DK_Function)
      return nullptr;
    return static_cast<FunctionDecl *>(It->second);
  }

  unsigned markReachableFrom(const std::string &Entry);
  std::vector<FunctionDecl *> collectDeadFunctions() const;
};

unsigned Module::markReachableFrom(const std::string &Entry) {
  FunctionDecl *Root = lookupFunction(Entry);
  if (!Root || Root->isReachable())
    return 0;

  unsigned NumMarked = 0;
  std::vector<FunctionDecl *> Worklist{Root};
  Root->setReachable();
  while (!Worklist.empty()) {
    FunctionDecl *F = Worklist.back();
    Worklist.pop_back();
    ++NumMarked;
    for (FunctionDecl *Callee : F->callees()) {
      if (Callee->isReachable())
        continue;
      Callee->setReachable();
      Worklist.push_back(Callee);
    }
  }
  return NumMarked;
}

std::vector<FunctionDecl *> Module::collectDeadFunctions() const {
  std::vector<FunctionDecl *> Dead;
  for (const auto &Owned : Functions) {
    auto *F = static_cast<FunctionDecl *>(Owned.get());
    if (!F->isReachable())
      Dead.push_back(F);
  }
  return Dead;
}

} // namespace quillc
