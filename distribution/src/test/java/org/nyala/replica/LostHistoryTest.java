package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.ManagementBeans;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/**
 * Copies of a provider whose data was replaced by older data: restored from a backup, or imported.
 * They have changes that the provider has lost, and must not take its later ones for a sequel.
 */
@Timeout(300)
class LostHistoryTest extends PromotionTestCase {
  private final LocalCommands commands = new LocalCommands();
  private int port;
  private @Nullable Path configuration;

  @BeforeEach
  void populate() throws Exception {
    port = FreePorts.take();
    configuration =
        ServerProcess.configure(
            folder("first"), "serverId = 1, listeners = [\"ldap://127.0.0.1:" + port + "\"]");
    try (RunningServer server = first();
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addTop(client);
      for (int i = 0; i < 5; i++) {
        addPerson(client, "a" + i);
      }
    }
  }

  private RunningServer first() throws Exception {
    return LocalServer.startFrom(configuration, folder("first"));
  }

  private RunningServer copy(String name, int serverId, int provider) throws Exception {
    return LocalServer.start(folder(name), "serverId = " + serverId + "\n" + of(provider));
  }

  private static void addPerson(LDAPConnection client, String uid) throws Exception {
    client.add(
        "dn: uid=" + uid + "," + SUFFIX,
        "objectClass: inetOrgPerson",
        "uid: " + uid,
        "cn: Person",
        "sn: P",
        "description: first");
  }

  private static void change(RunningServer server, String name) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addPerson(client, name);
    }
  }

  /** Changes of each kind, which will be lost. */
  private static void changeLately(RunningServer server) throws Exception {
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      addPerson(client, "late");
      client.delete("uid=a0," + SUFFIX);
      client.modify(
          "uid=a1," + SUFFIX, new Modification(ModificationType.REPLACE, "description", "late"));
      client.modifyDN("uid=a2," + SUFFIX, "uid=late2", true);
    }
  }

  private void backUp() throws Exception {
    commands.shouldSucceed(configuration, "backup", folder.resolve("backup").toString());
  }

  private void restore() throws Exception {
    commands.shouldSucceed(
        configuration, "restore", folder.resolve("backup").toString(), "--discard-old");
  }

  @Test
  void aRestoredProviderIsCopiedAnew() throws Exception {
    backUp();
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      changeLately(first);
      awaitEqual(access(first), access(second));
    }
    restore();
    assertThat(commands.err()).contains("copies");
    try (RunningServer first = first()) {
      change(first, "new");
      try (RunningServer second = copy("second", 2, port)) {
        awaitEqual(access(first), access(second));
        change(first, "later");
        awaitEqual(access(first), access(second));
      }
    }
  }

  /** A file copied back keeps the identity of the history: the rows of the journal tell. */
  @Test
  void aFileThatWasCopiedBackIsFoundOut() throws Exception {
    Path data = folder("first").resolve("data/data.mdb");
    Path old = folder.resolve("old.mdb");
    Files.copy(data, old);
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      changeLately(first);
      awaitEqual(access(first), access(second));
    }
    Files.copy(old, data, StandardCopyOption.REPLACE_EXISTING);
    try (RunningServer first = first()) {
      change(first, "new");
      try (RunningServer second = copy("second", 2, port)) {
        awaitEqual(access(first), access(second));
      }
    }
  }

  @Test
  void anOlderImportIsCopiedAnew() throws Exception {
    Path file = folder.resolve("old.ldif");
    commands.shouldSucceed(configuration, "export", "-o", file.toString());
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      changeLately(first);
      awaitEqual(access(first), access(second));
    }
    commands.shouldSucceed(configuration, "import", "--replace", file.toString());
    try (RunningServer first = first()) {
      change(first, "new");
      try (RunningServer second = copy("second", 2, port)) {
        awaitEqual(access(first), access(second));
      }
    }
  }

  /** The numbers are equal, and nothing but the identity of the history is not. */
  @Test
  void otherDataWithTheSameNumbersIsCopiedAnew() throws Exception {
    Path file = folder.resolve("edited.ldif");
    commands.shouldSucceed(configuration, "export", "-o", file.toString());
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      awaitEqual(access(first), access(second));
    }
    Files.writeString(
        file, Files.readString(file).replace("description: first", "description: edited"));
    commands.shouldSucceed(configuration, "import", "--replace", file.toString());
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      awaitEqual(access(first), access(second));
    }
  }

  /** The last of the three was away while the one in the middle was repaired. */
  @Test
  void copiesOfACopyAreCopiedAnew() throws Exception {
    backUp();
    int middle;
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      middle = LocalServer.port(second);
      try (RunningServer third = copy("third", 3, middle)) {
        changeLately(first);
        awaitEqual(access(first), access(second));
        awaitEqual(access(first), access(third));
      }
    }
    restore();
    String fixed =
        "serverId = 2, listeners = [\""
            + url(middle)
            + "\"]\n"
            + consuming(url(port), "cn=admin", "admin");
    try (RunningServer first = first()) {
      change(first, "new");
      try (RunningServer second = LocalServer.start(folder("second"), fixed)) {
        awaitEqual(access(first), access(second));
        change(first, "later");
        awaitEqual(access(first), access(second));
        try (RunningServer third = copy("third", 3, middle)) {
          awaitEqual(access(first), access(third));
        }
      }
    }
  }

  /** The provider has no change that the copy lacks: the copy alone can tell. */
  @Test
  void anUntouchedRestoreRaisesAnAlarm() throws Exception {
    backUp();
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      changeLately(first);
      awaitEqual(access(first), access(second));
    }
    restore();
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port);
        ManagementBeans _ = register(second)) {
      eventually(
          "the copy stops",
          () -> sync().getCopies().getFirst().error().contains("nyala sync confirm"));
      assertThat(alarms(second)).anyMatch(each -> each.contains(SUFFIX + " may lose"));
      sync().confirm(SUFFIX, sync().getCopies().getFirst().guarded());
      awaitEqual(access(first), access(second));
    }
  }

  /** slapd keeps entries that are newer than those of its provider, whatever this one sends. */
  @Test
  void slapdIsRefused() throws Exception {
    backUp();
    try (SyncSlapd slapd = SyncSlapd.consumer(folder("slapd"), port)) {
      try (RunningServer first = first()) {
        changeLately(first);
        awaitEqual(access(first), slapd.access());
      }
      slapd.stop();
      restore();
      try (RunningServer first = first()) {
        change(first, "new");
        slapd.start();
        awaitAlarm(
            first, "consumers are refused, and keep what they have: rid=002 at 127.0.0.1 as");
        try (LDAPConnection client = LocalServer.connectAsRoot(first);
            LDAPConnection copied = slapd.client()) {
          String here = client.getEntry(SUFFIX, "contextCSN").getAttributeValue("contextCSN");
          String there = copied.getEntry(SUFFIX, "contextCSN").getAttributeValue("contextCSN");
          assertThat(there).isNotEqualTo(here);
          assertThat(refused(client, "rid=002,csn=" + there)).isEqualTo(53);
          requireNoAlarmOfOthers(first, client);
        }
        slapd.stop();
        slapd.empty();
        slapd.start();
        awaitEqual(access(first), slapd.access());
        awaitNoAlarm(first, "rid=002");
      }
    }
  }

  /** A client without a cookie has nothing that anybody need care for. */
  private static void requireNoAlarmOfOthers(RunningServer server, LDAPConnection client)
      throws Exception {
    SearchRequest request = new SearchRequest(SUFFIX, SearchScope.SUB, "(hasSubordinates=TRUE)");
    request.addControl(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST));
    assertThatExceptionOfType(LDAPSearchException.class)
        .isThrownBy(() -> client.search(request))
        .satisfies(e -> assertThat(e.getResultCode().intValue()).isEqualTo(53));
    assertThat(alarms(server)).noneMatch(each -> each.contains("rid=000"));
  }

  private static void awaitAlarm(RunningServer server, String text) {
    eventually(text, () -> alarms(server).stream().anyMatch(each -> each.contains(text)));
  }

  /** Changes the data of the first server as one whose clock was 40 days ahead at its start. */
  private void changeAhead() throws Exception {
    NyalaConfig read = ConfigurationFile.read(configuration, folder("first"));
    Schema schema = read.schema(Installation.current());
    Instant then = Instant.now().plus(Duration.ofDays(40));
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, then);
    try (LmdbBackend backend = LmdbBackend.open(read.data(), schema, read.store());
        WriteTransaction write = backend.beginWrite()) {
      Csn csn = new Csn(micros, 0, 1, 0);
      Dn changed = DnParser.parse(schema, "uid=a1," + SUFFIX);
      List<AttributeChange> changes =
          List.of(
              replaced(schema, "description", "ahead"),
              replaced(schema, "entryCSN", csn.toString()));
      write.apply(new ResolvedChange.Modify(changed, write.find(changed), changes), csn);
      Dn gone = DnParser.parse(schema, "uid=a0," + SUFFIX);
      write.apply(new ResolvedChange.Delete(gone, write.find(gone)), new Csn(micros + 1, 0, 1, 0));
      write.commit();
    }
  }

  private static AttributeChange replaced(Schema schema, String attribute, String value) {
    AttributeType type = Objects.requireNonNull(schema.attributeType(attribute));
    return new AttributeChange.Replaced(
        AttributeDescription.of(type), List.of(value.getBytes(StandardCharsets.UTF_8)));
  }

  /** The numbers of the provider were given by a clock that was wrong: its copies stop. */
  @Test
  void numbersAheadAreTakenBackByAnImport() throws Exception {
    Path file = folder.resolve("all.ldif");
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      awaitEqual(access(first), access(second));
    }
    changeAhead();
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port);
        ManagementBeans _ = register(second)) {
      awaitAlarm(first, "changes have times ahead of the clock, in " + SUFFIX + " by 9");
      assertThat(alarms(first))
          .anyMatch(each -> each.contains("nyala export") && each.contains("nyala import"));
      change(first, "later");
      eventually(
          "the copy says by how much",
          () -> sync().getCopies().getFirst().error().contains("hours ahead of the clock"));
    }
    commands.shouldSucceed(configuration, "export", "-o", file.toString());
    commands.shouldSucceed(configuration, "import", "--replace", file.toString());
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port)) {
      awaitEqual(access(first), access(second));
      change(first, "after");
      awaitEqual(access(first), access(second));
      awaitNoAlarm(first, "ahead of the clock");
      awaitNoAlarm(second, "ahead of the clock");
    }
  }

  /** A copy that was made from such numbers has them, too, and what the provider lacks is lost. */
  @Test
  void numbersAheadThatACopyHasAreTakenBackWithConsent() throws Exception {
    Path file = folder.resolve("all.ldif");
    changeAhead();
    Files.createDirectories(folder("second").resolve("data"));
    Files.copy(folder("first").resolve("data/data.mdb"), folder("second").resolve("data/data.mdb"));
    commands.shouldSucceed(configuration, "export", "-o", file.toString());
    commands.shouldSucceed(configuration, "import", "--replace", file.toString());
    try (RunningServer first = first();
        RunningServer second = copy("second", 2, port);
        ManagementBeans _ = register(second)) {
      awaitAlarm(second, "changes have times ahead of the clock");
      eventually(
          "the copy stops",
          () -> sync().getCopies().getFirst().error().contains("nyala sync confirm"));
      sync().confirm(SUFFIX, sync().getCopies().getFirst().guarded());
      awaitEqual(access(first), access(second));
      change(first, "after");
      awaitEqual(access(first), access(second));
      awaitNoAlarm(second, "ahead of the clock");
    }
  }

  private static SearchResult synchronize(LDAPConnection client, String cookie) throws Exception {
    SearchRequest request = new SearchRequest(SUFFIX, SearchScope.SUB, "(objectClass=*)", "*", "+");
    request.addControl(
        new ContentSyncRequestControl(
            ContentSyncRequestMode.REFRESH_ONLY, new ASN1OctetString(cookie), false));
    return client.search(request);
  }

  private static int refused(LDAPConnection client, String cookie) throws Exception {
    try {
      SearchResult result = synchronize(client, cookie);
      throw new AssertionError(result.toString());
    } catch (LDAPSearchException e) {
      return e.getResultCode().intValue();
    }
  }

  /**
   * Clients that keep cookies as they get them, as RFC 4533 says, are told to begin from nothing.
   */
  @Test
  void clientsThatKeepCookiesBeginAnew() throws Exception {
    backUp();
    String cookie;
    String early;
    try (RunningServer first = first();
        LDAPConnection client = LocalServer.connectAsRoot(first)) {
      early = cookie(synchronize(client, "rid=003"));
      changeLately(first);
      cookie = cookie(synchronize(client, early));
      assertThat(synchronize(client, cookie).getEntryCount()).isZero();
      assertThat(synchronize(client, early).getEntryCount()).isEqualTo(3);
    }
    restore();
    try (RunningServer first = first();
        LDAPConnection client = LocalServer.connectAsRoot(first)) {
      assertThat(refused(client, cookie)).isEqualTo(53);
      change(first, "new");
      assertThat(refused(client, cookie)).isEqualTo(4096);
      assertThat(refused(client, early)).isEqualTo(4096);
      String numbers = early.substring(0, early.indexOf(",history="));
      assertThat(synchronize(client, numbers).getEntryCount())
          .as("these are of both histories")
          .isEqualTo(1);
    }
  }

  private static String cookie(SearchResult result) throws Exception {
    return ContentSyncDoneControl.get(result).getCookie().stringValue();
  }

  /** A number that came without a change is one that clients may have all the same. */
  @Test
  void numbersWithoutChangesAreOfTheHistory() throws Exception {
    try (RunningServer first = first();
        LDAPConnection client = LocalServer.connectAsRoot(first)) {
      String before = cookie(synchronize(client, "rid=003"));
      addWithNumber(client, "other", "20200101000000.000000Z#000000#009#000000");
      String cookie = cookie(synchronize(client, before));
      assertThat(cookie).contains("#009#");
      addWithNumber(client, "later", "20200102000000.000000Z#000000#009#000000");
      assertThat(synchronize(client, cookie).getEntryCount()).isEqualTo(1);
      String foreign = cookie.replace("20200101000000", "20200101000001");
      assertThat(refused(client, foreign)).isEqualTo(4096);
    }
    commands.shouldSucceed(configuration, "verify");
  }

  private static void addWithNumber(LDAPConnection client, String ou, String csn) throws Exception {
    AddRequest add =
        new AddRequest(
            "dn: ou=" + ou + "," + SUFFIX,
            "objectClass: organizationalUnit",
            "ou: " + ou,
            "entryCSN: " + csn);
    add.addControl(new Control("1.3.6.1.4.1.4203.666.5.12", true));
    client.add(add);
  }
}
