package org.nyala.loadtest.compare;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * A server under comparison that this process started and stops. Confined to the thread that
 * compares.
 */
final class ServerProcess implements AutoCloseable {
  private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long STOP_LIMIT_SECONDS = 20;

  private final String name;
  private final InetSocketAddress address;
  private final Process process;

  private ServerProcess(String name, InetSocketAddress address, Process process) {
    this.name = name;
    this.address = address;
    this.process = process;
  }

  /** The identity of the clients of a job, on every server under comparison. */
  static Account account(JobKind job) {
    return job.isOfRoot() ? Account.ROOT : Account.ANONYMOUS;
  }

  /**
   * Starts a server that stays in the foreground and waits until it takes connections.
   *
   * @param name its name in the results
   * @param address the address that it is configured to listen on
   * @param command its command line
   * @param log receives its output
   */
  static ServerProcess start(String name, InetSocketAddress address, List<String> command, Path log)
      throws IOException, LoadTestException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    ServerProcess server = new ServerProcess(name, address, process);
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    long limit = System.nanoTime() + START_LIMIT_NANOS;
    while (!server.takesConnections()) {
      if (!process.isAlive() || System.nanoTime() - limit > 0) {
        process.destroyForcibly();
        throw new LoadTestException(name + " did not start:\n" + Files.readString(log));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return server;
  }

  /** A loopback address that is free at the moment. */
  static InetSocketAddress freeAddress() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
    }
  }

  /** Runs a command to its end and returns the time it took, in seconds. */
  static double run(List<String> command, Path log)
      throws IOException, InterruptedException, LoadTestException {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .redirectInput(new File("/dev/null"))
            .start();
    int exit = process.waitFor();
    double seconds = (System.nanoTime() - start) / 1e9;
    if (exit != 0) {
      throw new LoadTestException(
          String.join(" ", command) + " ended with " + exit + ":\n" + Files.readString(log));
    }
    return seconds;
  }

  private boolean takesConnections() {
    try (Socket socket = new Socket()) {
      socket.connect(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  String name() {
    return name;
  }

  InetSocketAddress address() {
    return address;
  }

  /** The server's process id: that of the launcher's youngest child if it started one. */
  long pid() {
    return process
        .toHandle()
        .descendants()
        .reduce((_, younger) -> younger)
        .orElse(process.toHandle())
        .pid();
  }

  /** Memory that belongs to the process alone, in bytes; -1 if not known. */
  long privateMemoryBytes() {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid() + "/status")).stream()
          .filter(line -> line.startsWith("RssAnon:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst()
          .orElse(-1);
    } catch (IOException e) {
      return -1;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
