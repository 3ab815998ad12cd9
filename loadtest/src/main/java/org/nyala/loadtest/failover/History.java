package org.nyala.loadtest.failover;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/**
 * Everything that a test has seen: operations, faults, and what the servers had at the end. It can
 * be kept as a text with one record in each line. Times are nanoseconds since the beginning.
 *
 * <p>Confined to one thread at a time.
 */
final class History {
  private static final String FORMAT = "nyala-failover-history 1";

  /**
   * A fault that happened.
   *
   * @param text the option
   * @param startNanos the time before it was caused
   * @param endNanos the time at which it was over: that of SIGCONT, or the end of the command
   * @param result what came of it, in words
   */
  record FaultEvent(String text, long startNanos, long endNanos, String result) {}

  private final List<String> urls;
  private final int registers;
  private final Operations operations = new Operations();
  private final List<FaultEvent> faults = new ArrayList<>();
  private final List<@Nullable Contents> contents = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private double seconds;
  private double settledSeconds;
  private int[] order = {};
  private int[] firsts = {};

  /**
   * Begins a history.
   *
   * @param registers the number of entries that all clients share, the first ones
   */
  History(List<String> urls, int registers) {
    this.urls = List.copyOf(urls);
    this.registers = registers;
    urls.forEach(_ -> contents.add(null));
  }

  List<String> urls() {
    return urls;
  }

  int registers() {
    return registers;
  }

  Operations operations() {
    return operations;
  }

  List<FaultEvent> faults() {
    return faults;
  }

  /** Sentences about work that could not be done. */
  List<String> notes() {
    return notes;
  }

  /** The length of the period with load, in seconds. */
  double seconds() {
    return seconds;
  }

  /**
   * The time until all servers that answer had every acknowledged change and the same, in seconds;
   * negative if they had not in the time that they were given.
   */
  double settledSeconds() {
    return settledSeconds;
  }

  void settled(double loadSeconds, double afterSeconds) {
    seconds = loadSeconds;
    settledSeconds = afterSeconds;
  }

  /** Returns what a server had at the end; null if it did not answer. */
  @Nullable Contents contents(int server) {
    return contents.get(server);
  }

  void contents(int server, @Nullable Contents found) {
    contents.set(server, found);
  }

  /** Returns a number greater than those of all entries, of operations and of servers. */
  int entries() {
    int bound = registers;
    for (int i = 0; i < operations.size(); i++) {
      bound = Math.max(bound, operations.entry(i) + 1);
    }
    for (Contents each : contents) {
      bound = Math.max(bound, each == null ? 0 : each.bound());
    }
    return bound;
  }

  /** Sorts the operations by entry, and those of each entry by their start. */
  void index() {
    firsts = new int[entries() + 1];
    int[] counts = new int[firsts.length];
    for (int i = 0; i < operations.size(); i++) {
      if (operations.entry(i) >= 0) {
        counts[operations.entry(i)]++;
      }
    }
    for (int i = 1; i < firsts.length; i++) {
      firsts[i] = firsts[i - 1] + counts[i - 1];
    }
    order = new int[firsts[firsts.length - 1]];
    int[] next = firsts.clone();
    for (int i = 0; i < operations.size(); i++) {
      if (operations.entry(i) >= 0) {
        order[next[operations.entry(i)]++] = i;
      }
    }
    for (int entry = 0; entry < firsts.length - 1; entry++) {
      sort(entry);
    }
  }

  private void sort(int entry) {
    int[] places = of(entry);
    for (int i = 1; i < places.length; i++) {
      if (operations.start(places[i]) < operations.start(places[i - 1])) {
        int[] sorted =
            Arrays.stream(places)
                .boxed()
                .sorted(Comparator.comparingLong(operations::start))
                .mapToInt(Integer::intValue)
                .toArray();
        System.arraycopy(sorted, 0, order, firsts[entry], sorted.length);
        return;
      }
    }
  }

  /** Returns the places of the operations on an entry, by their start; see {@link #index}. */
  int[] of(int entry) {
    return Arrays.copyOfRange(order, firsts[entry], firsts[entry + 1]);
  }

  /** Writes the history to a file. */
  void write(Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write(FORMAT + "\nregisters " + registers + "\n");
      out.write("seconds " + seconds + ' ' + settledSeconds + '\n');
      for (String url : urls) {
        out.write("server " + url + '\n');
      }
      for (FaultEvent each : faults) {
        out.write("fault " + each.startNanos + ' ' + each.endNanos + ' ' + each.text + '\n');
        out.write("result " + each.result + '\n');
      }
      for (String note : notes) {
        out.write("note " + note + '\n');
      }
      for (int i = 0; i < operations.size(); i++) {
        out.write(line(i));
      }
      for (int server = 0; server < urls.size(); server++) {
        Contents found = contents.get(server);
        if (found != null) {
          write(out, server, found);
        }
      }
    }
  }

  private String line(int at) {
    return ""
        + operations.kind(at).letter()
        + ' '
        + operations.server(at)
        + ' '
        + operations.entry(at)
        + ' '
        + operations.number(at)
        + ' '
        + operations.start(at)
        + ' '
        + operations.left(at)
        + ' '
        + operations.outcome(at).letter()
        + ' '
        + operations.code(at)
        + '\n';
  }

  private static void write(BufferedWriter out, int server, Contents found) throws IOException {
    out.write("end " + server + '\n');
    for (int entry = 0; entry < found.bound(); entry++) {
      int number = found.number(entry);
      if (number != Operations.ABSENT) {
        out.write("entry " + entry + ' ' + number + ' ' + found.half(entry) + '\n');
      }
    }
  }

  /**
   * Reads a history.
   *
   * @throws IllegalArgumentException if the file is none
   */
  static History read(Path file) throws IOException {
    Reading reading = new Reading(file);
    try (BufferedReader in = Files.newBufferedReader(file, UTF_8)) {
      reading.require(FORMAT.equals(in.readLine()), "'" + FORMAT + "'");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        reading.take(line);
      }
    }
    return reading.result();
  }

  /** The reading of a file. Confined to one thread. */
  private static final class Reading {
    private final Path file;
    private final List<String> urls = new ArrayList<>();
    private final History parts = new History(List.of(), 0);
    private final List<@Nullable Contents> found = new ArrayList<>();
    private int registers;
    private int number = 1;
    private Contents last = new Contents();

    Reading(Path file) {
      this.file = file;
    }

    void require(boolean holds, String expected) {
      if (!holds) {
        throw new IllegalArgumentException(
            "--history: expected " + expected + " in line " + number + " of " + file);
      }
    }

    void take(String line) {
      number++;
      boolean isRecord = false;
      try {
        if (line.length() > 1 && line.charAt(1) == ' ') {
          operation(line.split(" "));
        } else {
          int blank = line.indexOf(' ');
          record(line.substring(0, blank), line.substring(blank + 1));
        }
        isRecord = true;
      } catch (IndexOutOfBoundsException | IllegalArgumentException _) {
        // The line is no record.
      }
      require(isRecord, "a record of a history");
    }

    private void operation(String[] words) {
      parts.operations.begin(
          Kind.of(words[0].charAt(0)),
          Integer.parseInt(words[1]),
          Integer.parseInt(words[2]),
          Integer.parseInt(words[3]),
          Long.parseLong(words[4]));
      parts.operations.end(
          Long.parseLong(words[5]), Outcome.of(words[6].charAt(0)), Integer.parseInt(words[7]));
    }

    private void record(String name, String rest) {
      String[] words = rest.split(" ", 3);
      switch (name) {
        case "registers" -> registers = Integer.parseInt(rest);
        case "seconds" -> parts.settled(Double.parseDouble(words[0]), Double.parseDouble(words[1]));
        case "server" -> {
          urls.add(rest);
          found.add(null);
        }
        case "fault" ->
            parts.faults.add(
                new FaultEvent(words[2], Long.parseLong(words[0]), Long.parseLong(words[1]), ""));
        case "result" -> {
          FaultEvent fault = parts.faults.removeLast();
          parts.faults.add(new FaultEvent(fault.text, fault.startNanos, fault.endNanos, rest));
        }
        case "note" -> parts.notes.add(rest);
        case "end" -> {
          last = new Contents();
          found.set(Integer.parseInt(rest), last);
        }
        case "entry" ->
            last.put(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                words.length > 2 ? words[2] : "");
        default -> throw new IllegalArgumentException(name);
      }
    }

    History result() {
      require(!urls.isEmpty(), "a line with a server before the end");
      History history = new History(urls, registers);
      history.operations.take(parts.operations);
      history.faults.addAll(parts.faults);
      history.notes.addAll(parts.notes);
      history.settled(parts.seconds, parts.settledSeconds);
      for (int server = 0; server < urls.size(); server++) {
        history.contents.set(server, found.get(server));
      }
      return history;
    }
  }
}
