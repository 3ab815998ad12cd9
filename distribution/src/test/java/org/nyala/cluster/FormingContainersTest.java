package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/**
 * The steps of compose.yaml as processes: its one-shot service and its members, by their commands
 * and environments. Names of hosts and paths of containers are those of this machine instead.
 */
@Timeout(600)
class FormingContainersTest {
  private static final Path CONTAINER = Path.of("src/packaging/conf/container").toAbsolutePath();
  private static final Pattern CLUSTER = Pattern.compile("(?m)^cluster +(\\S+)$");
  private static final Pattern MEMBER = Pattern.compile("(?m)^member +(\\S+)$");
  private static final Pattern MEMBERS = Pattern.compile("(?m)^(?:leader|follower) +(\\S+) \\(");
  private static final Pattern FORMED =
      Pattern.compile("this server is a member of the cluster|has this server as its only member");
  private static final String TOP = "dc=example,dc=com";

  @TempDir Path folder;

  private final List<Place> places = new ArrayList<>();
  private final Map<String, Object> services =
      ComposeFile.read(CONTAINER.resolve("compose.yaml")).services();

  /** A container: its volume, and its process while it runs. Confined to the test's thread. */
  private final class Place {
    final String name;
    final int ldap = FreePorts.take();
    final int peers = FreePorts.take();
    final Path home;
    ServerProcess process;

    Place(String name) throws IOException {
      this.name = name;
      this.home = Files.createDirectories(folder.resolve(name));
    }

    Path conf() {
      return home.resolve("member.conf");
    }

    private Path commandConf() {
      return home.resolve("command.conf");
    }

    /** Returns the environment of the service, with what the shell of the first start has. */
    Map<String, String> environment(boolean isToFound) {
      Map<String, String> environment = new TreeMap<>();
      ComposeFile.map(ComposeFile.map(services.get(name)).get("environment"))
          .forEach((key, value) -> environment.put(key, here(value.toString(), isToFound)));
      environment.put("NYALA_HOME", folder.toString());
      environment.put("NYALA_CONFIG", conf().toString());
      return environment;
    }

    private void configure(Map<String, String> environment) throws IOException {
      String text =
          """
          include file("%s")
          nyala { listeners = ["ldap://127.0.0.1:%d"], data = "%s", run = "%s", management.http = "127.0.0.1:%d" }
          """
              .formatted(
                  CONTAINER.resolve("cluster.conf"),
                  ldap,
                  home.resolve("volume"),
                  home.resolve("run"),
                  FreePorts.take());
      Files.writeString(conf(), text);
      // Commands of the test run without the environment, and need what has no default.
      String address = environment.get("NYALA_CLUSTER_ADDRESS");
      Files.writeString(
          commandConf(), text + "nyala.cluster.address = \"%s\"\n".formatted(address));
    }

    Place start(boolean isToFound) throws IOException {
      Map<String, String> environment = environment(isToFound);
      configure(environment);
      List<String> command =
          ComposeFile.list(ComposeFile.map(services.get(name)).get("entrypoint")).stream()
              .map(word -> word.toString().replace("/opt/nyala/conf/container", CONTAINER + ""))
              .toList();
      process = ServerProcess.start(home, environment, command);
      return this;
    }

    /** Kills the script and all that it has started, as the end of a container does. */
    void kill() {
      List<ProcessHandle> all =
          ProcessHandle.of(process.pid()).orElseThrow().descendants().toList();
      process.kill();
      all.forEach(ProcessHandle::destroyForcibly);
      all.forEach(each -> each.onExit().orTimeout(60, TimeUnit.SECONDS).join());
      process = null;
    }

    void loseVolume() throws IOException {
      try (Stream<Path> files = Files.walk(home.resolve("volume"))) {
        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }

    String status() {
      LocalCommands local = new LocalCommands();
      local.run(commandConf(), "cluster", "status");
      return local.out() + local.err();
    }

    String log() throws IOException {
      return Files.readString(home.resolve("serve.err"));
    }

    String id() {
      return all(MEMBER, status()).iterator().next();
    }

    LDAPConnection connect() throws LDAPException {
      return new LDAPConnection("127.0.0.1", ldap, "cn=admin", "secret of root");
    }

    /** Returns an entry's description, once the member has the entry. */
    String description(String dn) throws LDAPException {
      try (LDAPConnection client = connect()) {
        var entry = client.getEntry(dn);
        return entry == null ? "" : entry.getAttributeValue("description");
      }
    }
  }

  /** Returns a text of the file as this machine needs it. */
  private String here(String text, boolean isToFound) {
    String there = text.replace("${NYALA_CLUSTER_FOUND:-false}", Boolean.toString(isToFound));
    for (Place each : places) {
      there =
          there
              .replace(each.name + ":7389", "127.0.0.1:" + each.peers)
              .replace(each.name + ":1389", "127.0.0.1:" + each.ldap);
    }
    return there
        .replace("/run/secrets", folder.toString())
        .replace("/certificates", folder.resolve("certificates").toString());
  }

  private static Set<String> all(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  /** Has what the image and the first lines of the file make. */
  @BeforeEach
  void install() throws Exception {
    StringBuilder words = new StringBuilder("#!/bin/sh\nexec");
    ProgramJvm.command(List.of(), List.of())
        .forEach(word -> words.append(" '").append(word).append('\''));
    Path program = folder.resolve("bin/nyala");
    Files.createDirectories(program.getParent());
    Files.writeString(program, words.append(" \"$@\"\n"));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Files.writeString(folder.resolve("root-password"), "secret of root\n");
    for (String name : services.keySet()) {
      if (!name.equals("certificates")) {
        places.add(new Place(name));
      }
    }
    assertThat(places).hasSize(3);
    Files.createDirectories(folder.resolve("certificates"));
    Map<String, Object> oneShot = ComposeFile.map(services.get("certificates"));
    List<String> command = new ArrayList<>();
    ComposeFile.list(oneShot.get("entrypoint")).forEach(word -> command.add(word.toString()));
    command.add(
        ComposeFile.list(oneShot.get("command"))
            .getFirst()
            .toString()
            .replace("/opt/nyala", folder.toString())
            .replace("/certificates", folder.resolve("certificates").toString())
            .replace("chown 389:389", "chown \"$(id -u):$(id -g)\"")
            .replace(",localhost", ",localhost,127.0.0.1"));
    Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), command).shouldSucceed();
    // As the next `up` does: what is there stays.
    byte[] made = Files.readAllBytes(folder.resolve("certificates/nyala-0.pem"));
    Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), command).shouldSucceed();
    assertThat(folder.resolve("certificates/nyala-0.pem")).hasBinaryContent(made);
  }

  @AfterEach
  void end() {
    for (Place each : places) {
      if (each.process != null) {
        each.kill();
      }
    }
  }

  private void shouldBeThree() throws Exception {
    // Some joins take over a minute; the reason is not known.
    long begun = System.nanoTime();
    for (Place each : places) {
      while (!FORMED.matcher(each.log()).find()
          && System.nanoTime() - begun < TimeUnit.MINUTES.toNanos(4)) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
      assertThat(each.log()).as(each.name).containsPattern(FORMED);
    }
    for (Place each : places) {
      eventually("three members at " + each.name, () -> all(MEMBERS, each.status()).size() == 3);
    }
  }

  private static void shouldWait(Place place, String forWhat) throws Exception {
    eventually("it says what it waits for", () -> place.log().contains(forWhat));
    assertThat(place.status()).contains("belongs to no cluster yet");
  }

  private void add(Place by, String dn, String... attributes) throws Exception {
    try (LDAPConnection client = by.connect()) {
      List<String> lines = new ArrayList<>(List.of("dn: " + dn));
      lines.addAll(List.of(attributes));
      client.add(lines.toArray(String[]::new));
    }
  }

  @Tag("long")
  @Test
  void shouldFormOneClusterOnceAndForAll() throws Exception {
    Place first = places.getFirst();
    // Nobody founds without being told so, and the first one not without the others' answers.
    places.get(1).start(false);
    places.get(2).start(false);
    shouldWait(places.get(1), first.peers + ": ");
    first.start(false);
    shouldWait(first, "this one founds it only if told so");
    first.kill();
    places.get(1).kill();
    first.start(true);
    shouldWait(first, "no member answers, and this server waits for one; silent are:");
    places.get(1).start(true);
    shouldBeThree();
    Set<String> cluster = all(CLUSTER, first.status());
    add(places.get(2), TOP, "objectClass: domain", "dc: example", "description: kept");

    // The first one loses its volume, and its leave to found is still there: it waits for those
    // that have the data.
    String lost = first.id();
    places.forEach(Place::kill);
    first.loseVolume();
    first.start(true);
    shouldWait(first, "no member answers, and this server waits for one; silent are:");
    places.get(1).start(false);
    places.get(2).start(false);
    shouldBeThree();
    for (Place each : places) {
      assertThat(all(CLUSTER, each.status())).isEqualTo(cluster);
      eventually("the former member is out", () -> !all(MEMBERS, each.status()).contains(lost));
      eventually("the data are there", () -> each.description(TOP).equals("kept"));
    }
    shouldTakeBackAFollowerWithoutItsVolume();
  }

  /** The others go on meanwhile, and nobody has leave to found. */
  private void shouldTakeBackAFollowerWithoutItsVolume() throws Exception {
    Place leader = leader();
    Place follower = places.stream().filter(each -> each != leader).toList().getLast();
    String lost = follower.id();
    follower.kill();
    follower.loseVolume();
    String added = "ou=meanwhile," + TOP;
    add(leader, added, "objectClass: organizationalUnit", "ou: meanwhile", "description: new");
    follower.start(false);
    eventually("it is a member anew", () -> FORMED.matcher(follower.log()).find());
    for (Place each : places) {
      eventually(
          "three members, without the former one",
          () -> {
            Set<String> members = all(MEMBERS, each.status());
            return members.size() == 3 && !members.contains(lost);
          });
    }
    assertThat(follower.id()).isNotEqualTo(lost);
    eventually("its data are there", () -> follower.description(added).equals("new"));
  }

  @Test
  void shouldDrainBeforeItStopsAndComeBackAsItWas() throws Exception {
    for (Place each : places) {
      each.start(true);
    }
    shouldBeThree();
    add(places.getFirst(), TOP, "objectClass: domain", "dc: example", "description: kept");
    Place leader = leader();
    String id = leader.id();
    leader.process.stop();
    assertThat(leader.process.exitCode()).isEqualTo(ExitCode.OK);
    // Another one may have been elected just before.
    assertThat(leader.log())
        .containsAnyOf(
            "cluster-member: another member leads", "cluster-member: this member does not lead");
    leader.process = null;
    assertThat(leader()).isNotSameAs(leader);
    leader.start(false);
    shouldBeThree();
    assertThat(leader.id()).isEqualTo(id);
  }

  private Place leader() {
    List<Place> leading = new ArrayList<>();
    eventually(
        "a member leads",
        () -> {
          leading.clear();
          places.stream()
              .filter(each -> each.process != null && each.status().contains("role      leader"))
              .forEach(leading::add);
          return !leading.isEmpty();
        });
    return leading.getFirst();
  }
}
