package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.Seeds;
import org.nyala.error.ExitCode;
import org.nyala.process.InterruptedJob;
import org.nyala.process.InterruptedJob.Fault;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;

/**
 * Interrupts bulk jobs: by SIGKILL, a full disk, a read-only one and a broken one. Each time the
 * result is the old state or the new one, and the same command works afterwards.
 *
 * <p>{@code -Dnyala.job.steps=N} interrupts N steps of each job in each way (0: all of them),
 * {@code -Dnyala.job.kills=N} kills each N times at random instants.
 */
@Timeout(1800)
class InterruptedJobsTest {
  private static final int STEPS = Integer.getInteger("nyala.job.steps", 1);
  private static final int KILLS = Integer.getInteger("nyala.job.kills", 1);
  private static final int LAST_STEPS = 12;

  /** The note beside the configuration that there is data. */
  private static final String MARKER = "test.conf.data";

  /** A job on a data directory that has 33 entries. */
  enum Job {
    IMPORT("import", "--replace", "new.ldif"),
    FIRST_IMPORT("import", "--data=none/deep/data", "new.ldif"),
    INDEX_ADD("index", "add", "title:eq,sub"),
    INDEX_REBUILD("index", "rebuild", "cn"),
    INDEX_DROP("index", "drop", "cn"),
    COMPACT("compact"),
    RESTORE("restore", "backup"),
    BACKUP("backup", "backups/today"),
    EXPORT("export", "-o", "export.ldif");

    private static final Set<Job> SWAPPING = EnumSet.of(IMPORT, FIRST_IMPORT, RESTORE);

    /** The jobs that change nothing that can be seen in the data. */
    private static final Set<Job> RENEWING = EnumSet.of(INDEX_REBUILD, COMPACT);

    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> command;

    Job(String... command) {
      this.command = List.of(command);
    }
  }

  @TempDir static Path folder;

  private static final LocalCommands commands = new LocalCommands();
  private static Path template;
  private static Path trial;
  private static InterruptedJob jobs;

  private static int nyala(String... arguments) {
    return commands.run(trial.resolve("test.conf"), arguments);
  }

  private static void shouldSucceed(String... arguments) {
    assertThat(nyala(arguments)).as("%s%s", commands.out(), commands.err()).isEqualTo(ExitCode.OK);
  }

  @BeforeAll
  static void makeTemplate() throws Exception {
    trial = Files.createDirectory(folder.resolve("trial"));
    template = folder.resolve("template");
    jobs = new InterruptedJob(trial, Files.createDirectory(folder.resolve("scratch")));
    Files.writeString(
        trial.resolve("test.conf"),
        "nyala { listeners = [\"ldap://127.0.0.1:0\"], data = \""
            + trial.resolve("data")
            + "\", root { dn = \"cn=admin\", password = admin } }\n");
    shouldSucceed("sample", "--entries", "40", "-o", path("new.ldif"));
    shouldSucceed("import", path("new.ldif"));
    shouldSucceed("backup", path("backup"));
    shouldSucceed("sample", "--entries", "20", "-o", path("old.ldif"));
    shouldSucceed("import", "--replace", path("old.ldif"));
    Files.writeString(trial.resolve("export.ldif"), "dn: dc=old\n");
    Files.createDirectory(trial.resolve("backups"));
    copy(trial, template);
  }

  private static String path(String name) {
    return trial.resolve(name).toString();
  }

  /** Returns the command of a job with absolute paths. */
  private static String[] command(Job job) {
    List<String> line = new ArrayList<>();
    for (String word : job.command) {
      String value = word.startsWith("--data=") ? word.substring("--data=".length()) : word;
      boolean isPath = value.contains("/") || value.contains(".ldif") || word.equals("backup");
      boolean isFile = isPath && !line.isEmpty();
      line.add(isFile ? word.replace(value, path(value)) : word);
    }
    return line.toArray(String[]::new);
  }

  private static String[] withConfiguration(Job job) {
    List<String> line = new ArrayList<>(List.of(command(job)));
    line.add("--config=" + trial.resolve("test.conf"));
    return line.toArray(String[]::new);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  private static void delete(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException e)
              throws IOException {
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void reset() throws IOException {
    delete(trial);
    copy(template, trial);
  }

  /** Returns what a job changes, in comparable form. */
  private static String state(Job job) throws IOException {
    return switch (job) {
      case IMPORT, RESTORE, COMPACT -> names("data");
      case FIRST_IMPORT ->
          Files.exists(trial.resolve("none/deep/data/data.mdb")) ? names("none/deep/data") : "none";
      case INDEX_ADD, INDEX_REBUILD, INDEX_DROP -> names("data") + indexes();
      case BACKUP ->
          Files.exists(trial.resolve("backups/today/backup.manifest")) ? restored() : "none";
      case EXPORT -> Files.readString(trial.resolve("export.ldif"));
    };
  }

  private static String state(Job job, String context) throws IOException {
    try {
      return state(job);
    } catch (AssertionError e) {
      throw new AssertionError(context + ": " + files(), e);
    }
  }

  private static String names(String data) throws IOException {
    Path file = folder.resolve("names.ldif");
    shouldSucceed("verify", "--data=" + path(data));
    shouldSucceed("export", "--data=" + path(data), "-o", file.toString());
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith("dn:"))
          .sorted()
          .collect(Collectors.joining("\n"));
    }
  }

  private static String indexes() {
    shouldSucceed("index", "list");
    return commands.out();
  }

  private static String restored() throws IOException {
    Path other = folder.resolve("other");
    shouldSucceed("restore", "--data=" + other, path("backups/today"));
    String names = names(other.toString());
    delete(other);
    return names;
  }

  /** Returns the files of the trial, without those that may be there or not and without numbers. */
  private static Set<String> files() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(trial)) {
      for (Path file : files.toList()) {
        String name = trial.relativize(file).toString();
        // The next writer deletes the remains of a reader that was about to make lock.mdb.
        boolean isLock = file.getFileName().toString().matches("nyala.lock|lock.mdb([0-9]+.new)?");
        if (!isLock) {
          names.add(name.replaceAll("[0-9T]{6,}Z(-[0-9]+)?", "TIME"));
        }
      }
    }
    return names;
  }

  private record Known(
      String old, String renewed, Set<String> files, List<String> steps, long nanos) {}

  private static Known run(Job job) throws Exception {
    reset();
    String old = state(job);
    long nanos = jobs.kill(Long.MAX_VALUE, withConfiguration(job));
    List<String> steps = jobs.taken();
    Known known = new Known(old, state(job), files(), steps, nanos);
    assertThat(known.old.equals(known.renewed)).isEqualTo(Job.RENEWING.contains(job));
    return known;
  }

  private record Interruption(Fault fault, int step) {}

  @ParameterizedTest
  @EnumSource
  void shouldHaveTheOldStateOrTheNewAndWorkAgain(Job job) throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Known known = run(job);
    Map<Fault, Integer> renewed = new EnumMap<>(Fault.class);
    List<Interruption> chosen = chosen(known.steps, random);
    for (Interruption each : chosen) {
      if (interrupt(job, known, each, seed)) {
        renewed.merge(each.fault, 1, Integer::sum);
      }
    }
    int renewedByKills = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      reset();
      long after = random.nextLong(known.nanos);
      jobs.kill(after, withConfiguration(job));
      String context = job + " killed after " + after + " ns, seed " + seed;
      renewedByKills += check(job, known, context, -1) ? 1 : 0;
    }
    System.out.printf(
        Locale.ROOT,
        "%s: interrupted %d times at %d steps, new state after %s; killed %d times at random, "
            + "new state after %d; seed %d%n",
        job,
        chosen.size(),
        known.steps.size(),
        renewed,
        KILLS,
        renewedByKills,
        seed);
  }

  /** Interrupts the step of a kind and its neighbours, whose numbers differ from run to run. */
  private static void interruptAt(Job job, Fault fault, String call, String file) throws Exception {
    long seed = Seeds.seed();
    Known known = run(job);
    List<Integer> steps = new ArrayList<>();
    for (int step = 1; step <= known.steps.size(); step++) {
      String text = known.steps.get(step - 1);
      if (text.startsWith(call) && text.contains(file)) {
        steps.add(step);
      }
    }
    assertThat(steps).as("%s", known.steps).isNotEmpty();
    for (int step = steps.getLast() - 1; step <= steps.getLast() + 1; step++) {
      interrupt(job, known, new Interruption(fault, Math.min(step, known.steps.size())), seed);
    }
  }

  @Test
  void shouldSayThatTheNewDataIsInPlaceIfTheOldCannotBeNamed() throws Exception {
    interruptAt(Job.RESTORE, Fault.READ_ONLY, "rename", "before-restore");
  }

  @Test
  void shouldNameAFullDiskInPlainWordsIfACopyCannotBegin() throws Exception {
    interruptAt(Job.BACKUP, Fault.FULL, "open", "copying/data.mdb");
  }

  private static boolean interrupt(Job job, Known known, Interruption each, long seed)
      throws Exception {
    reset();
    Processes.Result result = jobs.run(each.fault, each.step, withConfiguration(job));
    String context =
        job + " " + each + " " + known.steps.get(each.step - 1) + ", seed " + seed + ": " + result;
    boolean isKilled = each.fault == Fault.KILL;
    if (!isKilled && result.exitCode() != ExitCode.OK) {
      assertExplained(context, result);
      if (job == Job.FIRST_IMPORT && each.fault == Fault.FULL) {
        assertThat(trial.resolve("none")).as(context).doesNotExist();
      }
    }
    return check(job, known, context, isKilled ? -1 : result.exitCode());
  }

  private static void assertExplained(String context, Processes.Result result) {
    assertThat(result.err().lines().filter(line -> line.startsWith("nyala: ")))
        .as(context)
        .hasSize(1);
    assertThat(result.err())
        .as(context)
        .doesNotContain("Exception", "Error:", "\tat ", "Platform constant");
  }

  /**
   * Checks the state after an interruption, and that the same command then works.
   *
   * @param exitCode the exit code of the job; -1 if it was killed
   * @return true if the state is the new one
   */
  private static boolean check(Job job, Known known, String context, int exitCode)
      throws Exception {
    String state = state(job, context);
    boolean isRenewed = state.equals(known.renewed);
    if (!state.contains("(building") && !state.contains("(being deleted")) {
      assertThat(state).as(context).isIn(known.old, known.renewed);
    }
    if (exitCode == ExitCode.OK) {
      assertThat(isRenewed).as(context).isTrue();
    } else if (exitCode > 0 && isRenewed && Job.SWAPPING.contains(job)) {
      assertThat(context).contains("the new data is in place");
    }
    boolean hasNothingToDo =
        isRenewed && (job == Job.FIRST_IMPORT || job == Job.BACKUP || job == Job.INDEX_DROP);
    int again = nyala(command(job));
    if (!hasNothingToDo) {
      assertThat(again).as("%s: again: %s", context, commands.err()).isEqualTo(ExitCode.OK);
    }
    assertThat(state(job, context)).as(context).isEqualTo(known.renewed);
    Set<String> left = files();
    Set<String> expected = new TreeSet<>(known.files);
    if (hasNothingToDo) {
      // The next start notes that there is data, if the job could not.
      left.removeIf(name -> name.startsWith(MARKER));
      expected.removeIf(name -> name.startsWith(MARKER));
    }
    assertThat(left).as(context).isEqualTo(expected);
    return isRenewed;
  }

  /** Chooses the first steps of each kind and the last ones, with each fault, or some of these. */
  private static List<Interruption> chosen(List<String> steps, Random random) {
    List<Interruption> all = new ArrayList<>();
    Set<String> seen = new TreeSet<>();
    for (int step = 1; step <= steps.size(); step++) {
      if (seen.add(InterruptedJob.kind(steps.get(step - 1))) || step > steps.size() - LAST_STEPS) {
        for (Fault fault : Fault.values()) {
          all.add(new Interruption(fault, step));
        }
      }
    }
    if (STEPS == 0) {
      return all;
    }
    Collections.shuffle(all, random);
    return all.subList(0, Math.min(STEPS, all.size()));
  }
}
