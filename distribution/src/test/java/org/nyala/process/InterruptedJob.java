package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Commands in processes of their own, which are interrupted while they change a folder: at one of
 * the system calls that change its files ("steps", see {@code src/test/c/steps.c}), or at any
 * instant.
 *
 * <p>Confined to one thread.
 */
public final class InterruptedJob {
  private static final int POLL_MILLIS = 2;

  /** The ways in which a step is interrupted. */
  public enum Fault {
    /** The process is killed; of a write, half is done. */
    KILL("kill"),
    /** From this step on the disk has no room: of a write, half is done. */
    FULL("full"),
    /** From this step on the file system is read-only. */
    READ_ONLY("readonly"),
    /** This step alone fails as on a broken disk. */
    IO("io");

    private final String word;

    Fault(String word) {
      this.word = word;
    }
  }

  private final Path library;
  private final Path watched;
  private final Path scratch;
  private final Path log;

  /**
   * Prepares for interruptions.
   *
   * @param watched the folder whose changes are steps
   * @param scratch another folder, for files of this class
   */
  public InterruptedJob(Path watched, Path scratch) throws Exception {
    this.watched = watched;
    this.scratch = scratch;
    this.library = PreloadedLibrary.compile("steps", scratch);
    this.log = scratch.resolve("steps.log");
  }

  /** Runs a command with a fault at one of its steps, counted from 1. */
  public Processes.Result run(Fault fault, int step, String... command) throws Exception {
    return run(environment(step, fault.word), command);
  }

  /** Returns the steps that the last command took: a call and a file each. */
  public List<String> taken() throws IOException {
    List<String> steps = new ArrayList<>();
    for (String line : Files.exists(log) ? Files.readAllLines(log) : List.<String>of()) {
      steps.add(line.substring(line.indexOf(' ') + 1));
    }
    return steps;
  }

  private Map<String, String> environment(int step, String fault) throws IOException {
    Files.deleteIfExists(log);
    Map<String, String> environment = new HashMap<>();
    environment.put("LD_PRELOAD", library.toString());
    environment.put("STEPS_FOLDER", watched.toRealPath().toString());
    environment.put("STEPS_AT", Integer.toString(step));
    environment.put("STEPS_FAULT", fault);
    environment.put("STEPS_LOG", log.toString());
    return environment;
  }

  private Processes.Result run(Map<String, String> environment, String... command)
      throws Exception {
    return Processes.run(scratch, environment, command(command));
  }

  private static List<String> command(String... command) {
    return ProgramJvm.command(List.of("-XX:-UsePerfData", "-Xmx256m"), List.of(command));
  }

  /**
   * Runs a command and kills it some time after its first step, unless it has ended.
   *
   * @return the nanoseconds from its first step to its end
   */
  public long kill(long afterNanos, String... command) throws Exception {
    Map<String, String> environment = environment(0, "count");
    Path out = scratch.resolve("killed.out");
    Path err = scratch.resolve("killed.err");
    Process process = Processes.start(scratch, environment, command(command), out, err);
    try {
      while (!Files.exists(log) && !process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        assertThat(process.isAlive() || Files.exists(log)).as(Files.readString(err)).isTrue();
      }
      long first = System.nanoTime();
      boolean hasEnded = process.waitFor(afterNanos, TimeUnit.NANOSECONDS);
      assertThat(!hasEnded || process.exitValue() == 0).as(Files.readString(err)).isTrue();
      return System.nanoTime() - first;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Returns a name of a step without the digits of temporary files. */
  public static String kind(String step) {
    return step.replaceAll("[0-9]{4,}", "N").toLowerCase(Locale.ROOT);
  }
}
