package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/**
 * A cluster whose members are processes of their own, formed by the commands.
 *
 * <p>Confined to one thread; closing it stops the members that run.
 */
public final class ClusterOfProcesses implements AutoCloseable {
  /** The entry that {@link #put} changes. */
  static final String ENTRY = "dc=example,dc=com";

  private static final Pattern CLUSTER = Pattern.compile("(?m)^cluster +(\\S+)$");
  private static final Pattern MEMBER = Pattern.compile("(?m)^member +(\\S+)$");

  private final Path folder;
  private final String terms;
  private final List<Member> members = new ArrayList<>();

  /** A member: its folder, and its process while it runs. */
  public static final class Member {
    final Path folder;
    final int port = FreePorts.take();
    final int peers = FreePorts.take();
    final int http = FreePorts.take();
    private final String configuration;
    ServerProcess process;

    private Member(Path folder, String terms) throws IOException {
      this.folder = Files.createDirectories(folder);
      this.configuration =
          """
          listeners = ["ldap://127.0.0.1:%d"], store.create = always, management.http = "127.0.0.1:%d"
          cluster { address = "127.0.0.1:%d", referTo = "ldap://127.0.0.1:%d", %s }
          """
              .formatted(port, http, peers, port, terms);
      ServerProcess.configure(folder, configuration);
    }

    Path conf() {
      return folder.resolve("test.conf");
    }

    public void start() throws IOException {
      process = ServerProcess.start(folder, configuration);
    }

    public void kill() {
      process.kill();
      process = null;
    }

    /** Sends it a signal. */
    void signal(String name) throws IOException, InterruptedException {
      String pid = Long.toString(process.pid());
      assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }

    private Path data() {
      return folder.resolve("data");
    }

    /** Deletes its data, as if it had lost its disk. */
    void delete() throws IOException {
      try (Stream<Path> files = Files.walk(data())) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }

    /** Moves its data away. */
    void setAside() throws IOException {
      Files.move(data(), folder.resolve("data.former"));
    }

    public LDAPConnection connect() throws LDAPException {
      return new LDAPConnection("127.0.0.1", port, "cn=admin", "admin");
    }

    /** Runs a command; returns what it prints. */
    String run(String... words) {
      LocalCommands local = new LocalCommands();
      local.run(conf(), words);
      return local.out() + local.err();
    }

    /** Runs a command that must succeed; returns what it prints. */
    String command(String... words) {
      LocalCommands local = new LocalCommands();
      local.shouldSucceed(conf(), words);
      return local.out();
    }

    /** Returns whether it runs, and follows a leader or leads. */
    public boolean isWell() {
      String status = process == null ? "" : status();
      return status.contains("role      leader") || status.contains("role      follower");
    }

    String status() {
      return run("cluster", "status");
    }

    public boolean isLeading() {
      return process != null && status().contains("role      leader");
    }

    String id() {
      return found(MEMBER, status());
    }

    /** Asks the HTTP port; returns the answer. */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
      try (HttpClient client = HttpClient.newHttpClient()) {
        return client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path)).build(),
            HttpResponse.BodyHandlers.ofString());
      }
    }
  }

  /**
   * Makes a cluster without members.
   *
   * @param terms further keys of {@code nyala.cluster}
   */
  public ClusterOfProcesses(Path folder, String terms) {
    this.folder = folder;
    this.terms = terms;
  }

  /** Forms the cluster, with one entry in it. */
  public ClusterOfProcesses form(int count) throws Exception {
    boolean isFormed = false;
    try {
      Member first = next();
      first.start();
      first.command("cluster", "init");
      try (LDAPConnection client = first.connect()) {
        client.add("dn: " + ENTRY, "objectClass: domain", "dc: example");
      }
      while (members.size() < count) {
        join(first, next());
      }
      isFormed = true;
      return this;
    } finally {
      if (!isFormed) {
        close();
      }
    }
  }

  /** Returns the id of the cluster in what the command status prints. */
  static String cluster(String status) {
    return found(CLUSTER, status);
  }

  /** Takes a server without data in, by the member that leads. */
  void join(Member next) throws Exception {
    join(leader(), next);
  }

  /** Takes a server without data in, by a member. */
  void join(Member member, Member next) throws IOException {
    next.start();
    next.command("cluster", "join", "127.0.0.1:" + member.peers);
  }

  /** Makes a server that is not started, and is no member. */
  Member next() throws IOException {
    Member member = new Member(folder.resolve("m" + members.size()), terms);
    members.add(member);
    return member;
  }

  public List<Member> members() {
    return members;
  }

  /** Waits until a member leads; returns it. */
  public Member leader() throws Exception {
    Member[] found = new Member[1];
    eventually(
        "a member leads",
        () -> {
          for (Member member : members) {
            if (member.isLeading()) {
              found[0] = member;
            }
          }
          return found[0] != null;
        });
    return found[0];
  }

  /** Changes the entry. */
  static void put(LDAPConnection client, String value) throws LDAPException {
    client.modify(ENTRY, new Modification(ModificationType.REPLACE, "description", value));
  }

  static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  @Override
  public void close() {
    for (Member member : members) {
      if (member.process != null) {
        member.process.close();
        member.process = null;
      }
    }
  }
}
