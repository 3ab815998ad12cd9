package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nyala.cluster.raft.LinkProxy;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.process.FaultyDisk;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;
import org.nyala.process.SkewedClock;

/**
 * Three servers in processes of their own that are members of a cluster, formed by the commands.
 * Each has a clock and a disk that can be made wrong, and each link between two goes through a
 * proxy: every server has a file of host names of its own, in which the others are proxies.
 *
 * <p>Confined to one thread.
 */
final class FaultCluster implements AutoCloseable {
  static final String SUFFIX = "dc=example,dc=com";
  private static final int MEMBERS = 3;
  private static final int TIME_OUT_MILLIS = 5_000;
  private static final Pattern CLUSTER = Pattern.compile("(?m)^cluster +(\\S+)$");
  private static final Pattern SELF = Pattern.compile("(?m)^member +(\\S+)$");
  private static final Pattern COMMITTED = Pattern.compile(", (-?\\d+) of them committed");
  private static final Pattern APPLIED = Pattern.compile("committed, (-?\\d+) applied");

  private static boolean hasStarted;

  final List<Member> members = new ArrayList<>();
  private final Path folder;
  private final boolean isForwarding;
  private final Map<String, LinkProxy> links = new HashMap<>();
  private String cluster = "";
  private int copies;

  /** A member and its process, null while it is stopped. */
  final class Member {
    final int number;
    final Path folder;
    final int port = FreePorts.take();
    final SkewedClock clock;
    final FaultyDisk disk;
    int peerPort = FreePorts.take();
    volatile ServerProcess process;
    boolean isPaused;

    Member(int number, String name) throws Exception {
      this.number = number;
      this.folder = Files.createDirectories(FaultCluster.this.folder.resolve(name));
      this.clock = new SkewedClock(folder);
      this.disk = new FaultyDisk(folder);
      configure();
    }

    /** Writes its configuration, and one for commands, which do not know its host. */
    void configure() throws IOException {
      String listeners = "listeners = [\"%s\"], store.create = always\n".formatted(url());
      Path plain = ServerProcess.configure(folder, listeners);
      Files.copy(plain, conf(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      ServerProcess.configure(
          folder,
          listeners
              + "cluster { address = \"%s:%d\", referTo = \"%s\", answerSeconds = 5, writes = %s }"
                  .formatted(host(), peerPort, url(), writes()));
    }

    Path conf() {
      return folder.resolve("commands.conf");
    }

    Path data() {
      return folder.resolve("data");
    }

    /** The folder with the files of its log. */
    Path log() throws IOException {
      try (Stream<Path> groups = Files.list(data().resolve("cluster/log"))) {
        return groups.findFirst().orElseThrow().resolve("current");
      }
    }

    String url() {
      return "ldap://127.0.0.1:" + port;
    }

    String host() {
      return "m" + number + ".cluster.test";
    }

    String address() {
      return "127.0.1." + (number + 1);
    }

    void start() throws IOException {
      Map<String, String> environment = new HashMap<>(clock.environment());
      disk.environment()
          .forEach((name, value) -> environment.merge(name, value, (a, b) -> a + ":" + b));
      process =
          ServerProcess.start(
              folder,
              environment,
              ServerProcess.command(
                  folder,
                  "-Xmx192m",
                  "-Djdk.net.hosts.file=" + FaultCluster.this.folder.resolve("hosts" + number)));
      isPaused = false;
    }

    /** Starts it; returns what it says if it does not serve. */
    String refusal() throws IOException {
      try {
        start();
      } catch (AssertionError _) {
        return Files.readString(folder.resolve("serve.err"));
      }
      return "";
    }

    boolean isRunning() {
      return process != null && !isPaused;
    }

    void kill() {
      requireNonNull(process).kill();
      process = null;
    }

    void stop() {
      requireNonNull(process).close();
      process = null;
    }

    /** Kills it if it still runs. */
    void end() {
      if (process != null) {
        process.kill();
        process = null;
      }
    }

    /** Sends it a signal. */
    void signal(String name) throws IOException, InterruptedException {
      String pid = Long.toString(requireNonNull(process).pid());
      assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
      isPaused = name.equals("STOP");
    }

    /** Runs a command for it, which succeeds; returns what it prints. */
    String command(String... words) {
      LocalCommands local = new LocalCommands();
      local.shouldSucceed(conf(), words);
      return local.out();
    }

    String status() {
      LocalCommands local = new LocalCommands();
      local.run(conf(), "cluster", "status");
      return local.out() + local.err();
    }

    String id() {
      return found(SELF, status());
    }

    LDAPConnection connect() throws LDAPException {
      LDAPConnectionOptions options = new LDAPConnectionOptions();
      options.setConnectTimeoutMillis(TIME_OUT_MILLIS);
      options.setResponseTimeoutMillis(TIME_OUT_MILLIS);
      return new LDAPConnection(options, "127.0.0.1", port, "cn=admin", "admin");
    }

    /** Returns all entries with all attributes. */
    Map<String, String> contents() throws LDAPException {
      try (LDAPConnection client = connect()) {
        Map<String, String> found = new TreeMap<>();
        for (SearchResultEntry entry :
            client
                .search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "*", "+")
                .getSearchEntries()) {
          found.put(entry.getDN(), entry.toLDIFString());
        }
        return found;
      }
    }

    @Override
    public String toString() {
      return "m" + number;
    }
  }

  private FaultCluster(Path folder, boolean isForwarding) throws Exception {
    this.folder = folder;
    this.isForwarding = isForwarding;
    for (int i = 0; i < MEMBERS; i++) {
      members.add(new Member(i, "m" + i));
    }
    link();
  }

  /** Makes the links between the members anew. */
  void link() throws IOException {
    for (LinkProxy link : links.values()) {
      link.close();
    }
    links.clear();
    for (Member from : members) {
      StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n");
      for (Member to : members) {
        String at =
            from == to ? to.address() : "127.0." + (from.number + 2) + "." + (to.number + 1);
        hosts.append(at).append(' ').append(to.host()).append('\n');
        if (from != to) {
          links.put(
              from.number + ">" + to.number,
              new LinkProxy(
                  new InetSocketAddress(at, to.peerPort),
                  new InetSocketAddress(to.address(), to.peerPort)));
        }
      }
      Files.writeString(folder.resolve("hosts" + from.number), hosts);
    }
  }

  /**
   * Forms a cluster whose servers have one entry.
   *
   * @param isForwarding true if members pass changes on to the leader; false if they refer clients
   */
  static FaultCluster form(Path folder, boolean isForwarding) throws Exception {
    FaultCluster formed = new FaultCluster(folder, isForwarding);
    try {
      Member first = formed.members.getFirst();
      first.start();
      // On a busy machine it may not wait long enough for the first change, and says so.
      new LocalCommands().run(first.conf(), "cluster", "init");
      formed.cluster = found(CLUSTER, first.status());
      if (!hasStarted) {
        // Its end writes the archive of classes that the next ones start from.
        first.stop();
        first.start();
        hasStarted = true;
      }
      formed.leader();
      try (LDAPConnection client = first.connect()) {
        client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      }
      for (Member next : formed.members.subList(1, MEMBERS)) {
        formed.join(next);
      }
      return formed;
    } catch (Exception | AssertionError e) {
      formed.close();
      throw e;
    }
  }

  /** Takes a server in that has nothing, with a copy of the leader's data. */
  void join(Member next) throws Exception {
    Member leader = leader();
    next.start();
    next.command("cluster", "join", leader.host() + ":" + leader.peerPort);
  }

  /** Takes a member in again that has lost what it had, under a new id. */
  void rejoin(Member lost, String id) throws Exception {
    delete(lost.data());
    leader().command("cluster", "remove", id);
    join(lost);
  }

  /** Returns a server of no cluster that has the address of a member. */
  Member foreign(Member away) throws Exception {
    Member foreign = new Member(away.number, "foreign" + copies++);
    foreign.peerPort = away.peerPort;
    foreign.configure();
    return foreign;
  }

  static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
    return matcher.group(1);
  }

  /** Returns the member that leads. */
  Member leader() {
    Member[] found = new Member[1];
    eventually(
        () -> "a member leads",
        () -> {
          for (Member member : members) {
            if (member.isRunning() && member.status().contains("role      leader")) {
              found[0] = member;
            }
          }
          return found[0] != null;
        });
    return found[0];
  }

  /** Returns a member that does not lead. */
  Member follower() {
    Member leader = leader();
    return members.stream()
        .filter(each -> each != leader && each.isRunning())
        .findFirst()
        .orElseThrow();
  }

  List<Member> others(Member one) {
    return members.stream().filter(each -> each != one).toList();
  }

  /** Cuts one direction between two members, or heals it. */
  void cut(Member from, Member to, boolean isCut) {
    requireNonNull(links.get(from.number + ">" + to.number)).cutRequests(isCut);
    requireNonNull(links.get(to.number + ">" + from.number)).cutAnswers(isCut);
  }

  /** Cuts a member off, or heals all of its links. */
  void isolate(Member one, boolean isCut) {
    for (Member other : others(one)) {
      cut(one, other, isCut);
      cut(other, one, isCut);
    }
  }

  void delay(Member from, Member to, long millis) {
    requireNonNull(links.get(from.number + ">" + to.number)).delay(millis);
  }

  /** Waits until all members run, and have what was committed at the beginning. */
  void awaitWell() {
    String leading = leader().status();
    long committed = Long.parseLong(found(COMMITTED, leading));
    for (Member member : members) {
      eventually(
          () -> member + " has entry " + committed + ": " + member.status(),
          () -> {
            Matcher applied = APPLIED.matcher(member.status());
            return applied.find() && Long.parseLong(applied.group(1)) >= committed;
          });
    }
  }

  private static void eventually(
      java.util.function.Supplier<String> what,
      org.nyala.core.Patience.Condition<RuntimeException> holds) {
    try {
      org.nyala.core.Patience.eventually("", holds);
    } catch (AssertionError e) {
      throw new AssertionError("not within a minute: " + what.get(), e);
    }
  }

  /** Waits until all members have the same entries. */
  void awaitEqual() throws Exception {
    Map<String, String> expected = leader().contents();
    for (Member member : members) {
      eventuallyEqual(member, expected);
    }
  }

  private static void eventuallyEqual(Member member, Map<String, String> expected)
      throws LDAPException {
    org.nyala.core.Patience.eventually(
        member + " has what the leader has", () -> member.contents().equals(expected));
  }

  /** Stops all members, and requires that their stores are sound and equal in everything. */
  void stopAndCompare() throws Exception {
    for (Member member : members) {
      member.stop();
    }
    Map<Integer, String> digests = new TreeMap<>();
    for (Member member : members) {
      assertThat(member.command("verify")).isNotEmpty();
      digests.put(member.number, digest(member));
    }
    List<String> first = digests.get(0).lines().toList();
    digests.forEach(
        (number, digest) -> assertThat(difference(first, digest.lines().toList())).isEmpty());
  }

  /** Returns the first line in which two differ; empty if they are equal. */
  private static String difference(List<String> one, List<String> other) {
    for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
      String left = i < one.size() ? one.get(i) : "the end";
      String right = i < other.size() ? other.get(i) : "the end";
      if (!left.equals(right)) {
        return "line " + i + ": " + left + "\nand " + right;
      }
    }
    return "";
  }

  /** Returns all that has to be equal in all members. */
  private String digest(Member member) throws Exception {
    NyalaConfig read = ConfigurationFile.read(member.conf(), member.folder);
    Schema schema = read.schema(Installation.current());
    StringBuilder text = new StringBuilder();
    try (LmdbBackend store = LmdbBackend.open(read.data(), schema, read.store());
        ReadTransaction transaction = store.beginRead()) {
      EntryView view = new EntryView();
      SearchSpec all =
          new SearchSpec(
              ReadTransaction.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      try (EntryCursor cursor = transaction.search(all, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          byte[] record = new byte[view.recordLength()];
          view.buffer().get(view.recordStart(), record);
          text.append(view.id()).append(' ').append(new String(view.dn(), UTF_8)).append(' ');
          text.append(HexFormat.of().formatHex(record)).append('\n');
        }
      }
      for (int i = 1; i <= transaction.attributes().size(); i++) {
        text.append(transaction.attributes().description(i)).append(' ');
      }
      Dn top = DnParser.parse(schema, SUFFIX);
      text.append('\n').append(transaction.contextCsns(transaction.find(top)));
      text.append('\n').append(transaction.history(top));
      text.append('\n').append(transaction.logMark()).append('\n');
      try (ChangeJournal journal = requireNonNull(transaction.journal(top))) {
        for (JournalEntry each = journal.seek(0);
            each != null;
            each = journal.seek(each.sequence() + 1)) {
          text.append(each).append('\n');
        }
      }
    }
    return text.toString();
  }

  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path each : files.toList()) {
        Path target = to.resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(target);
        } else if (Files.isRegularFile(each)) {
          Files.copy(each, target);
        }
      }
    }
  }

  String cluster() {
    return cluster;
  }

  boolean isForwarding() {
    return isForwarding;
  }

  private String writes() {
    return isForwarding ? "forward" : "refer";
  }

  @Override
  public void close() throws IOException {
    members.forEach(Member::end);
    for (LinkProxy link : links.values()) {
      link.close();
    }
  }
}
