package org.nyala.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.error.CommandException;
import org.nyala.lmdb.env.PrivateFiles;

/** Starts and stops the server of a data directory as a separate process. Immutable. */
public final class BackgroundServer {
  /** The time until a server must be ready; opening a store takes well under a second. */
  public static final int START_TIMEOUT_SECONDS = 60;

  /** The time until a server must have ended: more than it allows running operations. */
  public static final int STOP_TIMEOUT_SECONDS = 60;

  private static final long POLL_MILLIS = 10;
  private static final int LOG_TAIL_BYTES = 4096;
  private static final Pattern REASON = Pattern.compile("(?m)^(?:\\S+ SEVERE )?nyala: (.*)$");
  private static final String DEFAULT_PATH = "/usr/bin:/bin";

  private final RunDirectory run;

  public BackgroundServer(RunDirectory run) {
    this.run = run;
  }

  /**
   * Starts {@code launcher serve arguments} and waits until it is ready.
   *
   * @return the URLs of its listeners
   * @throws CommandException if it ends instead, with its last message
   */
  public List<String> start(Path launcher, List<String> arguments, int timeoutSeconds)
      throws IOException, InterruptedException {
    run.requireFree();
    run.create();
    Path log = run.logFile();
    PrivateFiles.open(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
    PrivateFiles.closeToOthers(log);
    long logStart = Files.size(log);
    Process process = spawn(launcher, arguments, log);
    long polls = TimeUnit.SECONDS.toMillis(timeoutSeconds) / POLL_MILLIS;
    for (long poll = 0; poll < polls; poll++) {
      Optional<RunDirectory.Holder> holder = run.holder();
      if (holder.isPresent() && holder.get().isReady() && holder.get().pid() == process.pid()) {
        return holder.get().listeners();
      }
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new CommandException(process.exitValue(), lastWords(log, logStart));
      }
    }
    if (run.holder().filter(RunDirectory.Holder::isUnnamed).isPresent()) {
      // It serves what can be read, or is about to.
      throw CommandException.failed(
          "the server, pid "
              + process.pid()
              + ", runs, and cannot write its run files: the disk may be full; its log is "
              + log);
    }
    process.destroy();
    throw CommandException.failed(
        "the server was not ready after " + timeoutSeconds + " s; its log is " + log);
  }

  /**
   * Asks the server to end, and waits until it has.
   *
   * @return false if none was running
   */
  public boolean stop(int timeoutSeconds) throws InterruptedException {
    Optional<RunDirectory.Holder> holder = run.holder();
    Optional<ProcessHandle> process = holder.flatMap(server -> ProcessHandle.of(server.pid()));
    if (process.isEmpty()) {
      return false;
    }
    long pid = process.get().pid();
    if (!process.get().destroy()) {
      throw CommandException.failed("cannot signal the process " + pid);
    }
    long polls = TimeUnit.SECONDS.toMillis(timeoutSeconds) / POLL_MILLIS;
    for (long poll = 0; !hasEnded(process.get()); poll++) {
      if (poll == polls) {
        throw CommandException.failed(
            "the process "
                + pid
                + " still runs "
                + timeoutSeconds
                + " s after it was asked to stop");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    return true;
  }

  /**
   * Returns whether a process has ended, also if nobody has asked for its exit code: the first
   * process of a container may do so late, or never (proc(5), {@code /proc/PID/stat}).
   */
  private static boolean hasEnded(ProcessHandle process) {
    if (!process.isAlive()) {
      return true;
    }
    try {
      String stat =
          Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"), ISO_8859_1);
      // The name of the program, in parentheses, may contain any characters.
      char state = stat.charAt(stat.lastIndexOf(')') + 2);
      return state == 'Z' || state == 'X';
    } catch (IOException _) {
      return !process.isAlive();
    }
  }

  private static Process spawn(Path launcher, List<String> arguments, Path log) throws IOException {
    List<String> command = new ArrayList<>(detached(System.getenv("PATH")));
    command.add(launcher.toString());
    command.add("serve");
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put(LogStamp.VARIABLE, "yes");
    return builder
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  /**
   * Returns the command in a form that neither closing the terminal nor Ctrl-C reaches: in a
   * session of its own, or with the signals ignored if setsid is missing, as in some images. The
   * server handles SIGHUP all the same.
   */
  private static List<String> detached(@Nullable String path) {
    for (String folder : (path == null ? DEFAULT_PATH : path).split(":", -1)) {
      Path program = Path.of(folder, "setsid");
      if (program.isAbsolute() && Files.isExecutable(program)) {
        return List.of(program.toString());
      }
    }
    return List.of("/bin/sh", "-c", "trap '' HUP INT; exec \"$0\" \"$@\"");
  }

  private static String lastWords(Path log, long from) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      file.seek(Math.max(from, file.length() - LOG_TAIL_BYTES));
      byte[] tail = new byte[(int) (file.length() - file.getFilePointer())];
      file.readFully(tail);
      return reason(new String(tail, UTF_8).strip())
          .orElse("the server ended at once; its log is " + log);
    }
  }

  /** Returns the reason that a server gave last or, if it gave none, its last line. */
  private static Optional<String> reason(String log) {
    Optional<String> given =
        REASON.matcher(log).results().map(line -> line.group(1)).reduce((_, later) -> later);
    return given.isPresent() ? given : log.lines().reduce((_, later) -> later);
  }
}
