package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.ExtensionsMXBean;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** The members of a cluster, as servers in this process. Thread-safe but for starts and stops. */
public final class LiveMembers implements AutoCloseable {
  /** Longer than a full machine stands still: leaders change when a test has them change. */
  private static final int ELECTION_MILLIS = 2000;

  private static final Pattern MEMBER = Pattern.compile("(?m)^member +(\\S+)$");

  private final List<Member> members = new ArrayList<>();

  /** A member, with a registry of its own for its management. */
  public static final class Member {
    private final Path folder;
    private final String configuration;
    private final int port = FreePorts.take();
    private final int peers = FreePorts.take();
    private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
    private volatile @Nullable RunningServer server;
    private @Nullable ManagementBeans beans;

    private Member(Path folder, String more) throws IOException {
      this.folder = Files.createDirectories(folder);
      this.configuration =
          """
          listeners = ["ldap://127.0.0.1:%d"], store.create = always, serverId = 7
          cluster {
            address = "127.0.0.1:%d", referTo = "ldap://127.0.0.1:%d", writes = refer, electionMillis = %d
          }
          %s
          """
              .formatted(port, peers, port, ELECTION_MILLIS, more);
    }

    public String url() {
      return "ldap://127.0.0.1:" + port;
    }

    public int port() {
      return port;
    }

    /** Returns the address by which other members reach it. */
    public String peerAddress() {
      return "127.0.0.1:" + peers;
    }

    public boolean isRunning() {
      return server != null;
    }

    public void start() throws IOException {
      RunningServer started = LocalServer.start(folder, configuration);
      server = started;
      beans = started.register(registry);
    }

    public void stop() {
      if (beans != null) {
        beans.close();
        beans = null;
      }
      RunningServer running = server;
      server = null;
      if (running != null) {
        running.close();
      }
    }

    public RunningServer server() {
      RunningServer running = server;
      if (running == null) {
        throw new IllegalStateException("the member does not run");
      }
      return running;
    }

    public LDAPConnection connect() throws LDAPException {
      return new LDAPConnection("127.0.0.1", port, "cn=admin", "admin");
    }

    /** Carries out a command of the cluster; returns what it prints. */
    public ExtensionsMXBean.Answer run(String... words) throws Exception {
      return extensions().run("cluster", "cluster", words, "test");
    }

    private ExtensionsMXBean extensions() throws Exception {
      return JMX.newMXBeanProxy(
          registry, new ObjectName(ExtensionsMXBean.NAME), ExtensionsMXBean.class);
    }

    /** Returns the state of the cluster that its bean tells. */
    public Map<String, String> state() throws Exception {
      return extensions().getStates().get("cluster");
    }

    public String shouldRun(String... words) throws Exception {
      ExtensionsMXBean.Answer answer = run(words);
      assertThat(answer.exitCode()).as("%s", answer).isZero();
      return answer.text();
    }

    public SyncMXBean sync() throws Exception {
      return JMX.newMXBeanProxy(registry, new ObjectName(SyncMXBean.NAME), SyncMXBean.class);
    }

    public String id() throws Exception {
      return found(MEMBER, run("status").text());
    }

    public boolean isLeading() {
      try {
        return isRunning() && run("status").text().contains("role      leader");
      } catch (Exception e) {
        // It is being stopped.
        return false;
      }
    }
  }

  /**
   * Forms a cluster.
   *
   * @param more further lines of the configuration of each, by its number from 0
   */
  public static LiveMembers form(Path folder, int number, IntFunction<String> more)
      throws Exception {
    LiveMembers formed = new LiveMembers();
    boolean isFormed = false;
    try {
      Member first = new Member(folder.resolve("m0"), more.apply(0));
      formed.members.add(first);
      first.start();
      first.shouldRun("init");
      for (int i = 1; i < number; i++) {
        Member next = new Member(folder.resolve("m" + i), more.apply(i));
        formed.members.add(next);
        next.start();
        eventually(
            "it is a member", () -> next.run("join", "127.0.0.1:" + first.peers).exitCode() == 0);
      }
      isFormed = true;
      return formed;
    } finally {
      if (!isFormed) {
        formed.close();
      }
    }
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  public List<Member> all() {
    return members;
  }

  public Member leader() {
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

  /** Returns the members that do not lead, and run. */
  public List<Member> followers() {
    Member leader = leader();
    return members.stream().filter(each -> each != leader && each.isRunning()).toList();
  }

  /** Has another member lead, and waits until it does. */
  public void transfer(Member to) throws Exception {
    String id = to.id();
    eventually(
        "another member leads",
        () -> to.isLeading() || isTransferred(leader(), id) && to.isLeading());
  }

  private static boolean isTransferred(Member leader, String to) {
    try {
      return leader.run("transfer", to).exitCode() == 0;
    } catch (Exception e) {
      // The other one has not caught up in time, or the former one does not lead any more.
      return false;
    }
  }

  @Override
  public void close() {
    members.forEach(Member::stop);
  }
}
