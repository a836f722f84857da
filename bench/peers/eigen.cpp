/* The coupled step of liquid and elastic body as [zarifi2017] solves it, with Eigen, to compare with: reads the six files of
 * vl_coupled_write (src/pressure/forms.h), assembles
 *
 *   eq. 33: symmetric positive definite, alpha 0.001, sigma 0.9, by ConjugateGradient + IncompleteCholesky
 *   eq. 19: symmetric indefinite, by BiCGSTAB + IncompleteLUT
 *
 * and solves each until both blocks of eq. 19 have a relative residual of 1e-10. Eigen measures the residual of the matrix
 * it is given, so its tolerance is tightened until that is true. The seconds told are those of the last solve alone, from
 * zero, with the set-up of the preconditioner and without reading and assembling; with --repeat the fastest of N such
 * solves, unless one takes over 10 s. Where round-off forbids 1e-10 in one solve, as in eq. 33 of stiff bodies, the first
 * solve is improved by corrections whose right side is what is left of eq. 19, and both count: with the loosest tolerance
 * of the corrections that is enough. Every attempt is listed.
 * p.mtx and v.mtx, of eq. 33, and p_eq19.mtx and v_eq19.mtx go to the same folder.
 *
 * Usage: velella-peer-eigen FOLDER [--threads N] [--repeat N] [--json] [--skip-indefinite] */
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>; // rows: Eigen shares products of these among threads
using Vector = Eigen::VectorXd;
using Triplet = Eigen::Triplet<double>;

static const double alpha = 0.001, sigma = 0.9, tolerance = 1e-10;
static const int max_attempts = 8;
static const double long_solve = 10.0; // s: not repeated

struct System {
  Matrix l, j, s;
  Vector mass, b, w;
};

// Seconds by the clock, and of this thread's processor time, which a busy machine hardly changes.
struct Time {
  double clock, cpu;
};

static double read_clock(clockid_t id)
{
  timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Time now() { return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_THREAD_CPUTIME_ID)}; }
static Time operator+(Time a, Time b) { return {a.clock + b.clock, a.cpu + b.cpu}; }
static Time operator-(Time a, Time b) { return {a.clock - b.clock, a.cpu - b.cpu}; }

struct Attempt {
  double tolerance;
  Time seconds;
  double fluid, solid, total;
  long iterations;
  int corrections; // that followed the solve
  double strict;   // of these; 0: none were tried
};

struct Result {
  const char *name, *method;
  long rows, nonzeros;
  Time setup;
  std::vector<Attempt> attempts;
  bool converged;
  Vector p, v;
};

// The first line, then the sizes, with comments between them skipped.
static std::ifstream open_file(const std::string &path, std::string &banner, std::istringstream &sizes)
{
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read '" + path + "'");
  std::string line;
  std::getline(in, banner);
  while (std::getline(in, line) && !line.empty() && line[0] == '%') continue;
  sizes.str(line);
  return in;
}

static Matrix read_matrix(const std::string &path)
{
  std::string banner;
  std::istringstream sizes;
  std::ifstream in = open_file(path, banner, sizes);
  bool symmetric = banner.find("coordinate real symmetric") != std::string::npos;
  long rows, columns, count;
  if (banner.find("coordinate real") == std::string::npos || !(sizes >> rows >> columns >> count))
    throw std::runtime_error("'" + path + "' is no real Matrix Market matrix in coordinates");
  std::vector<Triplet> entries;
  for (long k = 0; k < count; k++) {
    long i, j;
    double value;
    if (!(in >> i >> j >> value) || i < 1 || i > rows || j < 1 || j > columns)
      throw std::runtime_error("'" + path + "': entry " + std::to_string(k + 1) + " cannot be read");
    entries.emplace_back(i - 1, j - 1, value);
    if (symmetric && i != j) entries.emplace_back(j - 1, i - 1, value);
  }
  Matrix a(rows, columns);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

static Vector read_vector(const std::string &path)
{
  std::string banner;
  std::istringstream sizes;
  std::ifstream in = open_file(path, banner, sizes);
  long rows, columns;
  if (banner.find("array real general") == std::string::npos || !(sizes >> rows >> columns) || columns != 1)
    throw std::runtime_error("'" + path + "' is no real Matrix Market array of one column");
  Vector x(rows);
  for (long i = 0; i < rows; i++)
    if (!(in >> x[i])) throw std::runtime_error("'" + path + "': number " + std::to_string(i + 1) + " cannot be read");
  return x;
}

static System read_system(const std::string &folder)
{
  System s = {read_matrix(folder + "/L.mtx"),    read_matrix(folder + "/J.mtx"), read_matrix(folder + "/S.mtx"),
              read_vector(folder + "/mass.mtx"), read_vector(folder + "/b.mtx"), read_vector(folder + "/w.mtx")};
  long m = s.b.size(), n = s.w.size();
  if (s.l.rows() != m || s.l.cols() != m || s.j.rows() != m || s.j.cols() != n || s.s.rows() != n || s.s.cols() != n ||
      s.mass.size() != n)
    throw std::runtime_error("the sizes of the files in '" + folder + "' do not fit together");
  return s;
}

static void write_vector(const Vector &x, const std::string &path)
{
  FILE *out = std::fopen(path.c_str(), "w");
  if (!out) throw std::runtime_error("cannot write '" + path + "'");
  std::fprintf(out, "%%%%MatrixMarket matrix array real general\n%ld 1\n", (long)x.size());
  for (long i = 0; i < x.size(); i++) std::fprintf(out, "%.17g\n", x[i]);
  if (std::fclose(out) != 0) throw std::runtime_error("cannot write '" + path + "'");
}

// [ a  b ; b^T  d ]
static Matrix join(const Matrix &a, const Matrix &b, const Matrix &d)
{
  std::vector<Triplet> entries;
  const long m = a.rows();
  entries.reserve((size_t)(a.nonZeros() + 2 * b.nonZeros() + d.nonZeros()));
  for (long i = 0; i < a.outerSize(); i++)
    for (Matrix::InnerIterator e(a, i); e; ++e) entries.emplace_back(e.row(), e.col(), e.value());
  for (long i = 0; i < b.outerSize(); i++)
    for (Matrix::InnerIterator e(b, i); e; ++e) {
      entries.emplace_back(e.row(), m + e.col(), e.value());
      entries.emplace_back(m + e.col(), e.row(), e.value());
    }
  for (long i = 0; i < d.outerSize(); i++)
    for (Matrix::InnerIterator e(d, i); e; ++e) entries.emplace_back(m + e.row(), m + e.col(), e.value());
  Matrix joined(m + d.rows(), m + d.rows());
  joined.setFromTriplets(entries.begin(), entries.end());
  return joined;
}

static Vector stack(const Vector &x, const Vector &y)
{
  Vector both(x.size() + y.size());
  both << x, y;
  return both;
}

// What is left of eq. 19.
struct Remainder {
  Vector fluid, solid;
};

static Remainder judge(const System &s, const Vector &p, const Vector &v, Attempt &attempt)
{
  Remainder r = {s.b - s.l * p - s.j * v, s.w - s.j.transpose() * p + s.s * v};
  attempt.fluid = r.fluid.norm() / s.b.norm();
  attempt.solid = r.solid.norm() / s.w.norm();
  attempt.total = std::hypot(r.fluid.norm(), r.solid.norm()) / std::hypot(s.b.norm(), s.w.norm());
  return r;
}

static double worst(const Attempt &attempt) { return std::max(attempt.fluid, attempt.solid); }

// A form to solve for [p; v / scale]; rhs(b, w) is its right side.
template <class Rhs>
struct Form {
  const System &s;
  const Matrix &a;
  Rhs rhs;
  double scale;
};

template <class Solver, class Rhs>
static Time set_up(const Form<Rhs> &form, Solver &solver)
{
  Time start = now();
  solver.setMaxIterations(20000);
  solver.compute(form.a);
  if (solver.info() != Eigen::Success) throw std::runtime_error("Eigen could not set up its preconditioner");
  return now() - start;
}

// One solve from zero.
template <class Solver, class Rhs>
static Attempt begin(const Form<Rhs> &form, Solver &solver, Time setup, double ask, Vector &p, Vector &v)
{
  const System &s = form.s;
  const Vector right = form.rhs(s.b, s.w);
  Time start = now();
  solver.setTolerance(ask);
  Vector x = solver.solve(right);
  Attempt attempt = {ask, setup + (now() - start), 0.0, 0.0, 0.0, (long)solver.iterations(), 0, 0.0};
  p = x.head(s.b.size());
  v = form.scale * x.tail(s.w.size());
  judge(s, p, v, attempt);
  return attempt;
}

// Adds corrections to what `attempt` has found, each `strict` times as accurate as is needed on paper, as long as they
// halve what is left of eq. 19.
template <class Solver, class Rhs>
static Attempt correct(const Form<Rhs> &form, Solver &solver, double strict, Attempt attempt, Vector &p, Vector &v)
{
  const System &s = form.s;
  double last = std::numeric_limits<double>::infinity();
  attempt.strict = strict;
  while (worst(attempt) > tolerance && worst(attempt) < 0.5 * last) {
    Remainder r = judge(s, p, v, attempt);
    last = worst(attempt);
    const Vector right = form.rhs(r.fluid, r.solid);
    Time start = now();
    solver.setTolerance(strict * std::min(0.1, 0.5 * tolerance / last));
    Vector x = solver.solve(right);
    p += x.head(s.b.size());
    v += form.scale * x.tail(s.w.size());
    attempt.seconds = attempt.seconds + (now() - start);
    attempt.iterations += (long)solver.iterations();
    attempt.corrections++;
    judge(s, p, v, attempt);
  }
  return attempt;
}

// Once more with what was enough; the fastest counts.
template <class Solver, class Rhs>
static void repeat(const Form<Rhs> &form, int times, Result &result)
{
  Attempt &best = result.attempts.back();
  for (int k = 1; k < times && best.seconds.clock < long_solve; k++) {
    Solver solver;
    Vector p, v;
    Time setup = set_up(form, solver);
    Attempt again = begin(form, solver, setup, best.tolerance, p, v);
    if (best.corrections > 0) again = correct(form, solver, best.strict, again, p, v);
    if (again.iterations != best.iterations || !(again.seconds.cpu < best.seconds.cpu)) continue;
    best.seconds = again.seconds;
    result.setup = setup;
  }
}

// Solves with a tighter tolerance each time until eq. 19 holds; where round-off forbids it, the first solve is corrected.
template <class Solver, class Rhs>
static Result solve(const Form<Rhs> &form, int times)
{
  Result result = {};
  Solver solver;
  Vector first_p, first_v;
  double ask = tolerance, last = std::numeric_limits<double>::infinity();
  auto keep = [&](const Attempt &attempt) {
    result.attempts.push_back(attempt);
    result.converged = worst(attempt) <= tolerance;
  };
  result.rows = form.a.rows();
  result.nonzeros = form.a.nonZeros();
  result.setup = set_up(form, solver);
  for (int k = 0; k < max_attempts && !result.converged && ask > 1e-16; k++) {
    keep(begin(form, solver, result.setup, ask, result.p, result.v));
    if (k == 0) first_p = result.p, first_v = result.v;
    double left = worst(result.attempts.back());
    if (!(left < 0.5 * last)) ask *= 0.1;
    last = left;
    ask *= std::min(0.5, 0.7 * tolerance / last);
  }
  const Attempt first = result.attempts.front();
  for (double strict = 1.0; !result.converged && strict > 1e-7; strict *= 0.1) {
    result.p = first_p, result.v = first_v;
    keep(correct(form, solver, strict, first, result.p, result.v));
  }
  if (result.converged) repeat<Solver>(form, times, result);
  return result;
}

static Result solve_spd(const System &s, int times)
{
  Vector z1 = sigma * s.mass, inverse = z1.cwiseInverse();
  Matrix z2 = s.s;
  for (long i = 0; i < z2.rows(); i++) z2.coeffRef(i, i) -= z1[i];
  Matrix jz = s.j * inverse.asDiagonal(), zz = z2 * inverse.asDiagonal(), jt = s.j.transpose();
  Matrix a11 = s.l + Matrix(jz * jt), a12 = -alpha * (jz * z2), a22 = alpha * alpha * (z2 + Matrix(zz * z2));
  auto rhs = [&](const Vector &b, const Vector &w) { return stack(b + jz * w, -alpha * (zz * w)); };
  using Preconditioner = Eigen::IncompleteCholesky<double>;
  using Solver = Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Preconditioner>;
  Matrix a = join(a11, a12, a22);
  Result result = solve<Solver>(Form<decltype(rhs)>{s, a, rhs, alpha}, times);
  result.name = "eq33";
  result.method = "ConjugateGradient + IncompleteCholesky";
  return result;
}

static Result solve_indefinite(const System &s, int times)
{
  Matrix a = join(s.l, s.j, -s.s);
  using Solver = Eigen::BiCGSTAB<Matrix, Eigen::IncompleteLUT<double>>;
  Result result = solve<Solver>(Form<decltype(&stack)>{s, a, stack, 1.0}, times);
  result.name = "eq19";
  result.method = "BiCGSTAB + IncompleteLUT";
  return result;
}

static void print_text(const Result &r)
{
  const Attempt &last = r.attempts.back();
  std::printf("%s %s: %ld rows, %ld non-zeros, %ld iterations, %.3f s (set-up %.3f), fluid %.2e solid %.2e%s\n", r.name,
              r.method, r.rows, r.nonzeros, last.iterations, last.seconds.clock, r.setup.clock, last.fluid, last.solid,
              r.converged ? "" : ", 1e-10 NOT reached");
}

// JSON has no NaN and no infinity.
static std::string number(double x)
{
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return std::isfinite(x) ? text : "null";
}

static void print_json(const Result &r, bool more)
{
  const Attempt &last = r.attempts.back();
  std::printf("    {\"form\": \"%s\", \"method\": \"%s\", \"rows\": %ld, \"nonzeros\": %ld, \"converged\": %s,\n", r.name,
              r.method, r.rows, r.nonzeros, r.converged ? "true" : "false");
  std::printf("     \"iterations\": %ld, \"corrections\": %d, \"seconds\": %s, \"cpu_seconds\": %s,\n", last.iterations,
              last.corrections, number(last.seconds.clock).c_str(), number(last.seconds.cpu).c_str());
  std::printf("     \"setup_seconds\": %s, \"setup_cpu_seconds\": %s,\n", number(r.setup.clock).c_str(),
              number(r.setup.cpu).c_str());
  std::printf("     \"residual\": {\"fluid\": %s, \"solid\": %s, \"total\": %s},\n     \"attempts\": [",
              number(last.fluid).c_str(), number(last.solid).c_str(), number(last.total).c_str());
  for (size_t k = 0; k < r.attempts.size(); k++) {
    const Attempt &t = r.attempts[k];
    std::printf("%s\n       {\"tolerance\": %s, \"corrections\": %d, \"iterations\": %ld, \"seconds\": %s, \"fluid\": %s, "
                "\"solid\": %s, \"total\": %s}",
                k ? "," : "", number(t.tolerance).c_str(), t.corrections, t.iterations, number(t.seconds.clock).c_str(),
                number(t.fluid).c_str(), number(t.solid).c_str(), number(t.total).c_str());
  }
  std::printf("]}%s\n", more ? "," : "");
}

static int usage()
{
  std::fprintf(stderr, "usage: velella-peer-eigen FOLDER [--threads N] [--repeat N] [--json] [--skip-indefinite]\n");
  return 2;
}

int main(int argc, char **argv)
{
  std::string folder;
  bool json = false, indefinite = true;
  int threads = 1, times = 1;
  for (int k = 1; k < argc; k++) {
    if (!std::strcmp(argv[k], "--json"))
      json = true;
    else if (!std::strcmp(argv[k], "--skip-indefinite"))
      indefinite = false;
    else if (!std::strcmp(argv[k], "--threads") && k + 1 < argc && std::atoi(argv[k + 1]) > 0)
      threads = std::atoi(argv[++k]);
    else if (!std::strcmp(argv[k], "--repeat") && k + 1 < argc && std::atoi(argv[k + 1]) > 0)
      times = std::atoi(argv[++k]);
    else if (argv[k][0] != '-' && folder.empty())
      folder = argv[k];
    else
      return usage();
  }
  if (folder.empty()) return usage();
  Eigen::setNbThreads(threads);
  try {
    System s = read_system(folder);
    std::vector<Result> results = {solve_spd(s, times)};
    write_vector(results[0].p, folder + "/p.mtx");
    write_vector(results[0].v, folder + "/v.mtx");
    if (indefinite) {
      results.push_back(solve_indefinite(s, times));
      write_vector(results[1].p, folder + "/p_eq19.mtx");
      write_vector(results[1].v, folder + "/v_eq19.mtx");
    }
    if (json)
      std::printf(
          "{\"program\": \"Eigen %d.%d.%d\", \"threads\": %d, \"pressures\": %ld, \"unknowns\": %ld,\n  \"alpha\": %g, "
          "\"sigma\": %g, \"tolerance\": %g,\n  \"results\": [\n",
          EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, Eigen::nbThreads(), (long)s.b.size(),
          (long)s.w.size(), alpha, sigma, tolerance);
    bool converged = true;
    for (size_t k = 0; k < results.size(); k++) {
      if (json)
        print_json(results[k], k + 1 < results.size());
      else
        print_text(results[k]);
      converged = converged && results[k].converged;
    }
    if (json) std::printf("  ]}\n");
    return converged ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "velella-peer-eigen: %s\n", error.what());
    return 1;
  }
}
