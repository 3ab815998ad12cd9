package org.nyala.loadtest.failover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * A fault that a test causes. Immutable.
 *
 * @param text the option
 * @param kind what is done
 * @param subject a process id or a file with it, or a command
 * @param afterNanos the time from the beginning of the load
 * @param lengthNanos how long a process is stopped
 */
record Fault(String text, Kind kind, String subject, long afterNanos, long lengthNanos) {
  /** The ways in which a server fails. */
  enum Kind {
    /** SIGKILL. */
    KILL,
    /** SIGSTOP, and SIGCONT later. */
    STOP,
    /** A command of the shell. */
    COMMAND,
    /** Something that a person does, who then presses Enter. */
    MANUAL
  }

  static final String EXPECTED =
      "kill:PID@10s, stop:PID@10s+5s, command:SHELL@10s, manual or none, where PID may be a file"
          + " with the process id";

  private static final Pattern FORM =
      Pattern.compile(
          "(?s)(kill|stop|command):(.+)@(\\d{1,6}(?:\\.\\d{1,3})?)s(?:\\+(\\d{1,6}(?:\\.\\d{1,3})?)s)?");

  private static final double NANOS = 1e9;
  private static final int LONGEST = 100;

  /**
   * Reads an option.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Fault parse(String text) {
    if (text.equals("manual")) {
      return new Fault(text, Kind.MANUAL, "", 0, 0);
    }
    Matcher form = FORM.matcher(text);
    LoadSettings.require(form.matches(), "--fault", EXPECTED, text);
    Kind kind = Kind.valueOf(form.group(1).toUpperCase(java.util.Locale.ROOT));
    LoadSettings.require(
        (kind == Kind.STOP) == (form.group(4) != null),
        "--fault",
        "stop:PID@10s+5s, and no +5s for others",
        text);
    long length = form.group(4) == null ? 0 : (long) (Double.parseDouble(form.group(4)) * NANOS);
    return new Fault(
        text, kind, form.group(2), (long) (Double.parseDouble(form.group(3)) * NANOS), length);
  }

  /**
   * Returns the process of a fault.
   *
   * @throws IllegalArgumentException if there is none that may be stopped
   */
  long process() {
    String number = subject.strip();
    if (!number.matches("\\d{1,9}")) {
      try {
        number = Files.readString(Path.of(subject)).strip();
      } catch (IOException _) {
        number = "";
      }
    }
    long pid = number.matches("\\d{1,9}") ? Long.parseLong(number) : 0;
    LoadSettings.require(
        pid > 1
            && pid != ProcessHandle.current().pid()
            && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false),
        "--fault",
        "about a process of this machine other than 1 and the load tester",
        text);
    return pid;
  }

  /**
   * Causes the fault, and waits until it is over. It begins when a signal has been sent, but before
   * a command is run.
   *
   * @param course ends the wait early with the load
   */
  History.FaultEvent cause(Course course) throws IOException, InterruptedException {
    return switch (kind) {
      case KILL -> {
        String result = signal("-KILL", process());
        yield event(course.nanos(), course, result);
      }
      case STOP -> {
        long pid = process();
        String result = signal("-STOP", pid);
        long start = course.nanos();
        try {
          course.await(start + lengthNanos);
        } finally {
          result += ", then " + signal("-CONT", pid);
        }
        yield event(start, course, result);
      }
      case COMMAND -> {
        long start = course.nanos();
        yield event(start, course, run(List.of("sh", "-c", subject)));
      }
      case MANUAL -> event(course.nanos(), course, "by hand");
    };
  }

  /** Returns the option in one line, without the middle of a long command. */
  String shortText() {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= LONGEST
        ? line
        : line.substring(0, LONGEST / 2) + " … " + line.substring(line.length() - LONGEST / 2);
  }

  private History.FaultEvent event(long start, Course course, String result) {
    return new History.FaultEvent(shortText(), start, course.nanos(), result);
  }

  private static String signal(String name, long pid) throws IOException, InterruptedException {
    String result = run(List.of("kill", name, Long.toString(pid)));
    return result.isEmpty() ? "kill " + name + ' ' + pid : result;
  }

  /** Returns nothing if a command succeeded, else what it said. */
  private static String run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("nyala-failover", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      int exit = process.waitFor();
      String said = Files.readString(output).strip().replaceAll("\\s+", " ");
      return exit == 0 ? "" : "exit code " + exit + (said.isEmpty() ? "" : ": " + said);
    } finally {
      Files.delete(output);
    }
  }
}
