package org.nyala.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * Cuts the power of real servers and commands at any event of the record of their writes: each
 * image must be sound, start, and hold what was acknowledged.
 *
 * <p>{@code -Dnyala.power.cuts=N} makes N images of each kind of work.
 */
@Timeout(1800)
class PowerCutTest {
  private static final int CUTS = Integer.getInteger("nyala.power.cuts", 5);
  private static final int CHANGES = 60;
  private static final int TRANSACTIONS = 8;
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private Path lab;
  private Path configuration;

  /** Acknowledged names, by the place in the log when they were. */
  private final TreeMap<Long, Set<String>> acknowledged = new TreeMap<>();

  @BeforeEach
  void importSome() throws Exception {
    lab = Files.createDirectory(folder.resolve("lab"));
    configuration = ServerProcess.configure(lab, "");
    commands.shouldSucceed(configuration, "import", ldif("old", 40).toString());
  }

  private Path ldif(String name, int entries) throws IOException {
    StringBuilder text =
        new StringBuilder("dn: " + SUFFIX + "\nobjectClass: domain\ndc: example\n");
    for (int i = 0; i < entries; i++) {
      text.append(
          "\ndn: cn=%s-%d,%s\nobjectClass: person\ncn: %s-%d\nsn: %s\n"
              .formatted(name, i, SUFFIX, name, i, "x".repeat(random.nextInt(3000) + 1)));
    }
    return Files.writeString(folder.resolve(name + ".ldif"), text);
  }

  private static Set<String> names(String name, int entries) {
    Set<String> names = new HashSet<>(Set.of(SUFFIX));
    for (int i = 0; i < entries; i++) {
      names.add("cn=" + name + "-" + i + "," + SUFFIX);
    }
    return names;
  }

  private static void addSome(LDAPConnection client, int number, Random random) throws Exception {
    client.add(
        "dn: cn=" + number + "," + SUFFIX,
        "objectClass: person",
        "cn: " + number,
        "sn: " + "x".repeat(1 + random.nextInt(3000)));
    if (number % 3 == 2) {
      int other = random.nextInt(number / 3 + 1) * 3;
      client.modify(
          "cn=" + other + "," + SUFFIX,
          new Modification(ModificationType.REPLACE, "description", "y".repeat(number * 50)));
    }
    if (number % 20 == 7) {
      client.modify(
          "dn: cn=Subschema",
          "changetype: modify",
          "add: attributeTypes",
          "attributeTypes: ( 1.3.6.1.4.1.99999.%d NAME 'stripes%d' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )"
              .formatted(number, number));
    }
  }

  /** Adds entries in one transaction; their names. */
  private static Set<String> addTogether(LDAPConnection client, int number) throws Exception {
    StartTransactionExtendedResult began =
        (StartTransactionExtendedResult)
            client.processExtendedOperation(new StartTransactionExtendedRequest());
    Set<String> added = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      String name = "cn=t%d-%d,%s".formatted(number, i, SUFFIX);
      AddRequest add =
          new AddRequest("dn: " + name, "objectClass: person", "sn: " + "z".repeat(2000));
      add.setControls(
          new Control[] {new TransactionSpecificationRequestControl(began.getTransactionID())});
      client.add(add);
      added.add(name);
    }
    client.processExtendedOperation(
        new EndTransactionExtendedRequest(began.getTransactionID(), true));
    return added;
  }

  /** The work of a client of a server. */
  private interface Work {
    void run(LDAPConnection client, PowerRecord power) throws Exception;
  }

  private PowerRecord serving(Work work) throws Exception {
    PowerRecord power = PowerRecord.begin(lab, folder);
    try (ServerProcess server =
            ServerProcess.start(lab, power.environment(), ServerProcess.command(lab));
        LDAPConnection client = server.client("cn=admin", "admin")) {
      work.run(client, power);
    }
    power.end();
    return power;
  }

  /** Runs a command to its end. */
  private PowerRecord running(String... arguments) throws Exception {
    PowerRecord power = PowerRecord.begin(lab, folder);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--config=" + configuration);
    Processes.run(folder, power.environment(), ProgramJvm.command(List.of(), all)).shouldSucceed();
    power.end();
    return power;
  }

  /** Starts a server on the image; the names of its entries. */
  private Set<String> started(String context) throws Exception {
    assertThat(commands.run(configuration, "verify"))
        .as("%s: %s%s", context, commands.out(), commands.err())
        .isEqualTo(ExitCode.OK);
    Set<String> names = new HashSet<>();
    try (RunningServer server = LocalServer.startFrom(configuration, lab);
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      for (SearchResultEntry each :
          client.search(SUFFIX, SearchScope.SUB, "(objectClass=*)", "1.1").getSearchEntries()) {
        names.add(each.getDN());
      }
      client.add("dn: cn=later," + SUFFIX, "objectClass: person", "sn: later");
    }
    return names;
  }

  /** Looks at the names of an image. */
  private interface Check {
    void see(String context, int cut, Set<String> names);
  }

  private void cut(PowerRecord power, Check check) throws Exception {
    for (int i = 0; i < CUTS; i++) {
      // The last has all that was acknowledged.
      int cut = i == 0 ? power.size() : power.draw(random);
      power.image(cut, true, random);
      String context = "seed " + seed + ", behind event " + cut + " of " + power.size();
      check.see(context, cut, started(context));
    }
  }

  private void acknowledge(PowerRecord power, Set<String> names) throws IOException {
    acknowledged.put(power.now(), names);
  }

  private Set<String> acknowledgedBefore(PowerRecord power, int cut) {
    Set<String> all = new HashSet<>();
    acknowledged.headMap(power.place(cut), true).values().forEach(all::addAll);
    return all;
  }

  @Test
  void shouldHoldChanges() throws Exception {
    PowerRecord record =
        serving(
            (client, power) -> {
              for (int i = 0; i < CHANGES; i++) {
                addSome(client, i, random);
                acknowledge(power, Set.of("cn=" + i + "," + SUFFIX));
              }
            });
    assertThat(record.waits()).isGreaterThan(CHANGES);
    cut(
        record,
        (context, cut, names) ->
            assertThat(names)
                .as(context)
                .containsAll(names("old", 40))
                .containsAll(acknowledgedBefore(record, cut)));
  }

  @Test
  void shouldHoldWholeTransactions() throws Exception {
    List<Set<String>> all = new ArrayList<>();
    PowerRecord record =
        serving(
            (client, power) -> {
              for (int i = 0; i < TRANSACTIONS; i++) {
                Set<String> added = addTogether(client, i);
                all.add(added);
                acknowledge(power, added);
              }
            });
    cut(
        record,
        (context, cut, names) -> {
          assertThat(names).as(context).containsAll(acknowledgedBefore(record, cut));
          for (Set<String> each : all) {
            assertThat(names.stream().filter(each::contains).count()).as(context).isIn(0L, 5L);
          }
        });
  }

  /** The images show faults: data without the waits for the disk is not sound. */
  @Test
  void shouldFindThatWaitsAreMissing() throws Exception {
    PowerRecord record =
        serving(
            (client, _) -> {
              for (int i = 0; i < CHANGES; i++) {
                addSome(client, i, random);
              }
            });
    int unsound = 0;
    for (int i = 0; i < 3; i++) {
      record.image(record.size(), false, random);
      unsound += commands.run(configuration, "verify") == ExitCode.OK ? 0 : 1;
    }
    assertThat(unsound).as("seed %d", seed).isPositive();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldHoldOldOrImportedEntries(boolean isOldKept) throws Exception {
    String ldif = ldif("new", 60).toString();
    PowerRecord record =
        isOldKept
            ? running("import", "--replace", ldif)
            : running("import", "--replace", "--discard-old", ldif);
    assertThat(record.changesOfNames()).isGreaterThan(5);
    cut(record, oneOf(record, names("old", 40), names("new", 60)));
  }

  @Test
  void shouldHoldOldOrRestoredEntries() throws Exception {
    String backup = folder.resolve("backup").toString();
    commands.shouldSucceed(configuration, "backup", backup);
    commands.shouldSucceed(configuration, "import", "--replace", ldif("new", 60).toString());
    PowerRecord record = running("restore", backup);
    assertThat(record.changesOfNames()).isGreaterThan(5);
    cut(record, oneOf(record, names("new", 60), names("old", 40)));
  }

  @Test
  void shouldHoldAllEntriesWhenItIsCompacted() throws Exception {
    PowerRecord record = running("compact");
    assertThat(record.changesOfNames()).isGreaterThan(3);
    cut(record, oneOf(record, names("old", 40), names("old", 40)));
  }

  @Test
  void shouldHoldAllEntriesWhileAnIndexIsBuilt() throws Exception {
    PowerRecord record = running("index", "add", "description:eq,sub");
    cut(record, oneOf(record, names("old", 40), names("old", 40)));
  }

  private static Check oneOf(PowerRecord record, Set<String> before, Set<String> after) {
    return (context, cut, names) -> {
      if (cut == record.size()) {
        assertThat(names).as(context).isEqualTo(after);
      } else {
        assertThat(List.of(before, after)).as(context).contains(names);
      }
    };
  }
}
