package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;

/**
 * Members of one cluster in processes of their own, each link between two through a proxy: every
 * member has a file of host names of its own, in which the others are proxies.
 */
final class ProcessCluster implements AutoCloseable {
  final List<Node> nodes = new ArrayList<>();
  final Map<Long, Long> acknowledged = new ConcurrentHashMap<>();
  private final Map<String, LinkProxy> links = new ConcurrentHashMap<>();
  private final Path folder;
  private final UUID cluster = UUID.randomUUID();
  private volatile long lastAcknowledged;

  /** A member and its process; null while it is stopped. */
  final class Node {
    final int number;
    final Path home;
    final int port;
    final UUID id;
    final Queue<String> lines = new ConcurrentLinkedQueue<>();
    volatile boolean isLeading;
    private @Nullable Process process;
    private @Nullable BufferedWriter in;

    Node(int number) throws IOException {
      this.number = number;
      this.home = folder.resolve("members").resolve("m" + number);
      this.port = TestCluster.freePort();
      this.id =
          number == 0
              ? RaftMember.found(home.resolve("raft"), cluster, TestCluster.ORIGIN)
              : RaftMember.prepare(home.resolve("raft"), cluster, LogPosition.NONE);
    }

    String host() {
      return "m" + number + ".cluster.test";
    }

    String address() {
      return "127.0.1." + (number + 1);
    }

    void start() throws IOException {
      Path hosts = folder.resolve("hosts" + number);
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(
          List.of(
              "-Xmx256m",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "--sun-misc-unsafe-memory-access=allow",
              "--enable-native-access=ALL-UNNAMED",
              "-Djdk.net.hosts.file=" + hosts,
              "-cp",
              System.getProperty("java.class.path"),
              MemberProcess.class.getName(),
              home.toString(),
              host(),
              Integer.toString(port),
              address(),
              Boolean.toString(number == 0)));
      Process started =
          new ProcessBuilder(command)
              .redirectError(folder.resolve("errors" + number).toFile())
              .start();
      process = started;
      in = started.outputWriter(UTF_8);
      isLeading = false;
      Thread.ofVirtual().start(() -> read(started));
      TestCluster.awaitTrue("m" + number + " does not start", () -> lines.remove("started"));
    }

    private void read(Process started) {
      try (BufferedReader out =
          new BufferedReader(new InputStreamReader(started.getInputStream(), UTF_8))) {
        for (String line; (line = out.readLine()) != null; ) {
          if (line.startsWith("ack ")) {
            long now = System.nanoTime();
            acknowledged.put(Long.parseLong(line.substring(4)), now);
            lastAcknowledged = now;
          } else if (line.equals("leads") || line.equals("follows")) {
            isLeading = line.equals("leads") && process == started;
          } else if (!line.startsWith("unknown")) {
            lines.add(line);
          }
        }
      } catch (IOException e) {
        lines.add("the output has ended: " + e.getMessage());
      }
    }

    boolean isRunning() {
      return process != null;
    }

    void tell(String line) {
      try {
        BufferedWriter to = requireNonNull(in);
        to.write(line + "\n");
        to.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    String line(String start) {
      return TestCluster.await(
          () -> "m" + number + " does not tell " + start + " but " + lines,
          () -> {
            String found =
                lines.stream().filter(line -> line.startsWith(start)).findFirst().orElse(null);
            if (found != null && lines.remove(found)) {
              return found;
            }
            return null;
          });
    }

    void kill() throws InterruptedException {
      Process killed = requireNonNull(process);
      killed.destroyForcibly();
      process = null;
      isLeading = false;
      killed.waitFor();
    }

    void signal(String name) throws IOException, InterruptedException {
      String pid = Long.toString(requireNonNull(process).pid());
      int exit = new ProcessBuilder("kill", "-" + name, pid).start().waitFor();
      if (exit != 0) {
        throw new IOException("kill -" + name + " " + pid + " ended with " + exit);
      }
    }
  }

  ProcessCluster(Path folder, int count) throws IOException {
    this.folder = folder;
    for (int i = 0; i < count; i++) {
      nodes.add(new Node(i));
    }
    for (Node from : nodes) {
      StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n");
      for (Node to : nodes) {
        String at =
            from == to ? to.address() : "127.0." + (from.number + 2) + "." + (to.number + 1);
        hosts.append(at).append(' ').append(to.host()).append('\n');
        if (from != to) {
          links.put(
              from.number + ">" + to.number,
              new LinkProxy(
                  new InetSocketAddress(at, to.port),
                  new InetSocketAddress(to.address(), to.port)));
        }
      }
      Files.writeString(folder.resolve("hosts" + from.number), hosts);
    }
  }

  ProcessCluster start() throws IOException {
    for (Node node : nodes) {
      node.start();
    }
    for (Node node : nodes.subList(1, nodes.size())) {
      Node leader = leader();
      leader.tell("add " + node.id + " " + node.host() + " " + node.port);
      leader.line("added");
    }
    return this;
  }

  Node leader() {
    return TestCluster.await(
        "no process leads",
        () -> nodes.stream().filter(node -> node.isLeading).findFirst().orElse(null));
  }

  /** Cuts one direction between two members, or heals it. */
  void cut(Node from, Node to, boolean isCut) {
    link(from, to).cutRequests(isCut);
    link(to, from).cutAnswers(isCut);
  }

  void delay(Node from, Node to, long millis) {
    link(from, to).delay(millis);
  }

  private LinkProxy link(Node from, Node to) {
    return requireNonNull(links.get(from.number + ">" + to.number));
  }

  /** Waits for a number that is acknowledged after a moment; returns the milliseconds between. */
  long millisToAck(long sinceNanos) {
    TestCluster.awaitTrue(
        "nothing is acknowledged any more: "
            + nodes.stream().map(node -> node.lines.toString()).toList(),
        () -> lastAcknowledged > sinceNanos);
    long first =
        acknowledged.values().stream()
            .mapToLong(Long::longValue)
            .filter(each -> each > sinceNanos)
            .min()
            .orElse(lastAcknowledged);
    return TimeUnit.NANOSECONDS.toMillis(first - sinceNanos);
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      if (node.process != null) {
        node.process.destroyForcibly();
      }
    }
    for (LinkProxy link : links.values()) {
      link.close();
    }
  }
}
