package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.nyala.loadtest.report.ResultJson;

/**
 * The results of a test as a file has them ({@code --json}, {@code results.json}). Immutable.
 *
 * @param file the file, which messages name
 * @param facts the circumstances
 * @param jobs the jobs that ran at the same time
 */
record SavedResult(Path file, JsonObject facts, List<Job> jobs) {
  /** The size beyond which a file is no result: a day of intervals of a second has 10 MB. */
  static final long MOST_BYTES = 256L << 20;

  /** The facts in which two results should agree, but need not. */
  private static final List<String> MACHINE = List.of("cores", "processor", "memory", "kernel");

  /** A figure of a job by which results are compared. */
  enum SavedFigure {
    RATE("rate", "per second", Figure.Unit.COUNT),
    P50("p50", "p50", Figure.Unit.MICROS),
    P99("p99", "p99", Figure.Unit.MICROS),
    SERVER_CPU("server-cpu", "server CPU for each", Figure.Unit.COST),
    CLIENT_CPU("client-cpu", "client CPU for each", Figure.Unit.COST);

    private final String label;
    private final String title;
    private final Figure.Unit unit;

    SavedFigure(String label, String title, Figure.Unit unit) {
      this.label = label;
      this.title = title;
      this.unit = unit;
    }

    /** The name in conditions and in JSON. */
    String label() {
      return label;
    }

    /** The name in tables. */
    String title() {
      return title;
    }

    Figure.Unit unit() {
      return unit;
    }
  }

  /**
   * A job of a result. Immutable.
   *
   * @param json the job as the file has it
   * @param rates the rate of all jobs together in each interval
   */
  record Job(JsonObject json, List<Double> rates) {
    String label() {
      return json.get("job").getAsString();
    }

    /** The settings by name. */
    JsonObject settings() {
      return json.getAsJsonObject("settings");
    }

    long errors() {
      return json.get("errorCount").getAsLong();
    }

    String errorsInWords() {
      return json.get("errorsInWords").getAsString();
    }

    boolean isDisturbed() {
      return json.get("disturbed").getAsBoolean();
    }

    /** A figure of the whole test; NaN if it is not known. */
    double whole(SavedFigure figure) {
      JsonObject latency = json.getAsJsonObject("latencyMicros").getAsJsonObject("corrected");
      return number(
          switch (figure) {
            case RATE -> json.get("rate");
            case P50 -> latency.get("p50");
            case P99 -> latency.get("p99");
            case SERVER_CPU -> json.get("serverCpuMicros");
            case CLIENT_CPU -> json.get("clientCpuMicros");
          });
    }

    /** A figure of each interval; NaN where it is not known. */
    double[] intervals(SavedFigure figure) {
      return switch (figure) {
        case RATE -> series("rate");
        case P50 -> series("p50Micros");
        case P99 -> series("p99Micros");
        case SERVER_CPU -> perUnit(series("serverCores"));
        case CLIENT_CPU -> perUnit(series("clientCores"));
      };
    }

    private double[] series(String key) {
      return numbers(json.getAsJsonObject("overTime").getAsJsonArray(key));
    }

    private double[] perUnit(double[] cores) {
      return IntStream.range(0, Math.min(cores.length, rates.size()))
          .mapToDouble(i -> rates.get(i) > 0 ? 1e6 * cores[i] / rates.get(i) : Double.NaN)
          .toArray();
    }
  }

  SavedResult {
    jobs = List.copyOf(jobs);
  }

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it is no result of one test, or one of another version
   */
  static SavedResult read(Path file) throws IOException {
    require(
        Files.size(file) <= MOST_BYTES,
        file,
        "results of a test, of " + MOST_BYTES + " bytes at most; found " + Files.size(file));
    try {
      JsonElement parsed = JsonParser.parseString(Files.readString(file));
      require(parsed.isJsonObject(), file, "results of a test; found other JSON");
      return of(file, parsed.getAsJsonObject());
    } catch (MalformedInputException | JsonParseException e) {
      throw new IllegalArgumentException(
          file + ": expected results of a test (--json, results.json); found no JSON", e);
    } catch (ClassCastException | IllegalStateException | NullPointerException e) {
      // The keys of a document that says to be one are not checked one by one.
      throw new IllegalArgumentException(
          file + ": expected results of a test; found a document without some of their keys", e);
    }
  }

  private static SavedResult of(Path file, JsonObject document) {
    String kind = document.has("kind") ? document.get("kind").getAsString() : "none";
    require(kind.equals("load"), file, "results of a test (kind load); found the kind " + kind);
    String version = document.has("version") ? document.get("version").getAsString() : "none";
    require(
        version.equals(Integer.toString(ResultJson.VERSION)),
        file,
        "results of version "
            + ResultJson.VERSION
            + ", as this load tester writes; found the version "
            + version);
    JsonArray all = document.getAsJsonArray("jobs");
    List<Double> rates = new ArrayList<>();
    for (JsonElement job : all) {
      double[] own =
          numbers(job.getAsJsonObject().getAsJsonObject("overTime").getAsJsonArray("rate"));
      for (int i = 0; i < own.length; i++) {
        if (i < rates.size()) {
          rates.set(i, rates.get(i) + own[i]);
        } else {
          rates.add(own[i]);
        }
      }
    }
    List<Job> jobs = new ArrayList<>();
    for (JsonElement element : all) {
      Job job = new Job(element.getAsJsonObject(), List.copyOf(rates));
      // All that is read later, so that a key that is missing is found now.
      for (SavedFigure figure : SavedFigure.values()) {
        double _ = job.whole(figure);
        double[] _ = job.intervals(figure);
      }
      boolean _ = job.isDisturbed();
      require(!job.settings().isEmpty() && !job.label().isEmpty(), file, "settings; found none");
      require(job.errors() == 0 || !job.errorsInWords().isEmpty(), file, "errors in words");
      jobs.add(job);
    }
    require(!jobs.isEmpty(), file, "results of a test; found none");
    return new SavedResult(file, document.getAsJsonObject("facts"), jobs);
  }

  private static void require(boolean holds, Path file, String expected) {
    if (!holds) {
      throw new IllegalArgumentException(file + ": expected " + expected);
    }
  }

  private static double[] numbers(JsonArray all) {
    return IntStream.range(0, all.size()).mapToDouble(i -> number(all.get(i))).toArray();
  }

  private static double number(JsonElement value) {
    return value.isJsonNull() ? Double.NaN : value.getAsDouble();
  }

  /** Returns why another result cannot be compared with this one; empty if it can. */
  Optional<String> difference(SavedResult other) {
    List<String> differences = new ArrayList<>();
    if (jobs.size() != other.jobs.size()) {
      differences.add("jobs at the same time: " + other.jobs.size() + " instead of " + jobs.size());
    }
    for (int i = 0; i < Math.min(jobs.size(), other.jobs.size()); i++) {
      JsonObject own = jobs.get(i).settings();
      JsonObject others = other.jobs.get(i).settings();
      Set<String> names = new TreeSet<>(own.keySet());
      names.addAll(others.keySet());
      for (String name : names) {
        String expected = text(own, name);
        String found = text(others, name);
        if (!expected.equals(found)) {
          differences.add(name + ": " + found + " instead of " + expected);
        }
      }
    }
    return differences.isEmpty()
        ? Optional.empty()
        : Optional.of(
            other.file
                + " cannot be compared with "
                + file
                + ", since they differ in "
                + String.join(", ", differences));
  }

  /** The facts about the machine in which another result differs. */
  List<String> otherMachine(SavedResult other) {
    return MACHINE.stream()
        .filter(name -> !text(facts, name).equals(text(other.facts, name)))
        .map(name -> name + ": " + text(other.facts, name) + " instead of " + text(facts, name))
        .toList();
  }

  private static String text(JsonObject texts, String name) {
    JsonElement value = texts.get(name);
    return value == null || !value.isJsonPrimitive() ? "nothing" : value.getAsString();
  }
}
