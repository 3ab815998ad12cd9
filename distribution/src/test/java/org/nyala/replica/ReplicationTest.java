package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.ManagementBeans;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** Copies of slapd and of Nyala, and copies of copies, while things happen to both sides. */
@Timeout(300)
class ReplicationTest {
  private static final String SUFFIX = SyncSlapd.SUFFIX;
  private static final String PEOPLE = "ou=people," + SUFFIX;

  @TempDir Path folder;

  private Path folder(String name) throws Exception {
    return Files.createDirectories(folder.resolve(name));
  }

  private static void populate(LDAPConnection client, int people) throws Exception {
    client.add(
        "dn: " + SUFFIX,
        "objectClass: organization",
        "objectClass: dcObject",
        "o: x",
        "dc: example");
    client.add("dn: " + PEOPLE, "objectClass: organizationalUnit", "ou: people");
    client.add("dn: ou=gone," + SUFFIX, "objectClass: organizationalUnit", "ou: gone");
    for (int i = 0; i < people; i++) {
      addPerson(client, i, PEOPLE);
    }
  }

  private static void addPerson(LDAPConnection client, int number, String parent) throws Exception {
    client.add(
        "dn: uid=p" + number + "," + parent,
        "objectClass: inetOrgPerson",
        "uid: p" + number,
        "cn: Person " + number,
        "sn: P",
        "userPassword: secret" + number);
  }

  /** Changes of all kinds; each call needs another number. */
  private static void change(LDAPConnection client, int number) throws Exception {
    addPerson(client, 1000 + number, "ou=gone," + SUFFIX);
    client.modify(
        "uid=p0," + PEOPLE, new Modification(ModificationType.ADD, "description", "d" + number));
    client.modify(
        "uid=p1," + PEOPLE,
        new Modification(ModificationType.REPLACE, "userPassword", "changed" + number));
    client.modifyDN("uid=p" + (1000 + number) + ",ou=gone," + SUFFIX, "uid=q" + number, true);
    client.modifyDN("uid=q" + number + ",ou=gone," + SUFFIX, "uid=r" + number, true, PEOPLE);
    // slapd 2.5 cannot rename an entry with others below it that were moved there, and loses those
    // that were added just before: so the container of the call before is renamed.
    String box = "ou=box" + number + "," + SUFFIX;
    client.add("dn: " + box, "objectClass: organizationalUnit", "ou: box" + number);
    addPerson(client, 2000 + number, box);
    if (number > 1) {
      client.modifyDN("ou=box" + (number - 1) + "," + SUFFIX, "ou=chest" + number, true);
    }
    client.delete("uid=p" + (10 + number) + "," + PEOPLE);
    // Two entries swap their names.
    client.modifyDN("uid=p2," + PEOPLE, "uid=third", false);
    client.modifyDN("uid=p3," + PEOPLE, "uid=p2", false);
    client.modifyDN("uid=third," + PEOPLE, "uid=p3", false);
  }

  private RunningServer consumer(String name, SyncSlapd provider) throws Exception {
    return LocalServer.start(
        folder(name), consuming(provider.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD));
  }

  @Test
  void copiesSlapd() throws Exception {
    try (SyncSlapd slapd = SyncSlapd.provider(folder("slapd"))) {
      try (LDAPConnection client = slapd.client()) {
        populate(client, 30);
      }
      try (RunningServer nyala = consumer("nyala", slapd)) {
        awaitEqual(slapd.access(), access(nyala));
        try (LDAPConnection client = slapd.client()) {
          change(client, 1);
        }
        awaitEqual(slapd.access(), access(nyala));
        try (LDAPConnection user = LocalServer.connect(nyala)) {
          user.bind("uid=p1," + PEOPLE, "changed1");
          assertThatThrownBy(() -> user.delete("uid=p1," + PEOPLE))
              .isInstanceOf(LDAPException.class);
        }
        try (LDAPConnection root = LocalServer.connectAsRoot(nyala)) {
          assertThatThrownBy(() -> addPerson(root, 5000, PEOPLE))
              .isInstanceOfSatisfying(
                  LDAPException.class,
                  e -> {
                    assertThat(e.getResultCode()).isEqualTo(ResultCode.REFERRAL);
                    assertThat(e.getReferralURLs()).containsExactly(slapd.url());
                  });
        }
      }
      // While the copy is away: more than the session log of slapd has.
      try (LDAPConnection client = slapd.client()) {
        change(client, 2);
        for (int i = 100; i < 250; i++) {
          addPerson(client, i, PEOPLE);
        }
      }
      try (RunningServer nyala = consumer("nyala", slapd)) {
        awaitEqual(slapd.access(), access(nyala));
        slapd.stop();
        slapd.start();
        try (LDAPConnection client = slapd.client()) {
          change(client, 3);
        }
        awaitEqual(slapd.access(), access(nyala));
      }
    }
  }

  /** It ends the refresh without a cookie, since nothing has changed. */
  @Test
  void followsAQuietSlapd() throws Exception {
    try (SyncSlapd slapd = SyncSlapd.provider(folder("slapd"))) {
      try (LDAPConnection client = slapd.client()) {
        populate(client, 3);
      }
      for (int start = 0; start < 2; start++) {
        try (RunningServer nyala = consumer("nyala", slapd);
            ManagementBeans _ = nyala.register(ManagementFactory.getPlatformMBeanServer())) {
          SyncMXBean sync =
              JMX.newMXBeanProxy(
                  ManagementFactory.getPlatformMBeanServer(),
                  new ObjectName(SyncMXBean.NAME),
                  SyncMXBean.class);
          eventually("it follows", () -> sync.getCopies().getFirst().phase().equals("following"));
          awaitEqual(slapd.access(), access(nyala));
        }
      }
    }
  }

  @Test
  void copiesOfCopiesFollow() throws Exception {
    try (RunningServer first = LocalServer.start(folder("first"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(first)) {
      populate(client, 30);
      String url = "ldap://127.0.0.1:" + LocalServer.port(first);
      Path second = folder("second");
      try (RunningServer middle =
              LocalServer.start(second, "serverId = 2\n" + consuming(url, "cn=admin", "admin"));
          SyncSlapd last = SyncSlapd.consumer(folder("last"), LocalServer.port(middle))) {
        awaitEqual(access(first), access(middle));
        awaitEqual(access(first), last.access());
        change(client, 1);
        awaitEqual(access(first), access(middle));
        awaitEqual(access(first), last.access());
      }
      change(client, 2);
      try (RunningServer middle =
          LocalServer.start(second, "serverId = 2\n" + consuming(url, "cn=admin", "admin"))) {
        awaitEqual(access(first), access(middle));
      }
    }
  }

  /** A provider that was set up anew must not empty its copy. */
  @Test
  void theGuardWaitsForAnAdministrator() throws Exception {
    try (SyncSlapd slapd = SyncSlapd.provider(folder("slapd"))) {
      try (LDAPConnection client = slapd.client()) {
        populate(client, 150);
      }
      try (RunningServer nyala = consumer("nyala", slapd);
          ManagementBeans _ = nyala.register(ManagementFactory.getPlatformMBeanServer())) {
        SyncMXBean sync =
            JMX.newMXBeanProxy(
                ManagementFactory.getPlatformMBeanServer(),
                new ObjectName(SyncMXBean.NAME),
                SyncMXBean.class);
        awaitEqual(slapd.access(), access(nyala));
        eventually(
            "the copy follows", () -> sync.getCopies().getFirst().phase().equals("following"));
        slapd.stop();
        slapd.empty();
        slapd.start();
        try (LDAPConnection client = slapd.client()) {
          populate(client, 5);
        }
        eventually(
            "the refresh is stopped", () -> sync.getCopies().getFirst().phase().equals("guarded"));
        int attempts = sync.getCopies().getFirst().attempts();
        try (LDAPConnection root = LocalServer.connectAsRoot(nyala)) {
          assertThat(root.getEntry("uid=p149," + PEOPLE)).isNotNull();
        }
        long guarded = sync.getCopies().getFirst().guarded();
        assertThatThrownBy(() -> sync.confirm(SUFFIX, guarded - 1))
            .isInstanceOf(IllegalStateException.class);
        sync.retry(SUFFIX);
        eventually(
            "another attempt is stopped as well",
            () ->
                sync.getCopies().getFirst().attempts() > attempts
                    && sync.getCopies().getFirst().phase().equals("guarded"));
        new ServerWatch(nyala.served(), WatchSettings.DEFAULT).look();
        assertThat(nyala.served().notices().alarms())
            .anyMatch(each -> each.contains(SUFFIX + " may lose"));
        sync.confirm(SUFFIX, guarded);
        awaitEqual(slapd.access(), access(nyala));
        eventually("the refresh has ended", () -> sync.getCopies().getFirst().guarded() == 0);
      }
    }
  }

  @Test
  void aKilledRefreshBeginsAgain() throws Exception {
    try (SyncSlapd slapd = SyncSlapd.provider(folder("slapd"))) {
      try (LDAPConnection client = slapd.client()) {
        populate(client, 3000);
      }
      Path nyala = folder("nyala");
      String configuration = consuming(slapd.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD);
      for (int seen : new int[] {50, 1000}) {
        try (ServerProcess killed = ServerProcess.start(nyala, configuration);
            LDAPConnection client = killed.client("cn=admin", "admin")) {
          eventually(
              seen + " entries are here",
              () -> client.getEntry("uid=p" + seen + "," + PEOPLE) != null);
          killed.kill();
        }
      }
      try (LDAPConnection client = slapd.client()) {
        client.delete("uid=p20," + PEOPLE);
      }
      try (RunningServer again = LocalServer.start(nyala, configuration)) {
        awaitEqual(slapd.access(), access(again));
      }
    }
  }

  /** A provider whose data are older than its copy refuses it, and is not followed. */
  @Test
  void aProviderThatWasRestoredIsToldOf() throws Exception {
    Path data = folder("first").resolve("data/data.mdb");
    Path old = folder.resolve("old.mdb");
    int port = FreePorts.take();
    String fixed = "serverId = 1, listeners = [\"ldap://127.0.0.1:" + port + "\"]";
    try (RunningServer first = LocalServer.start(folder("first"), fixed);
        LDAPConnection client = LocalServer.connectAsRoot(first)) {
      populate(client, 3);
    }
    Files.copy(data, old);
    String copying = consuming("ldap://127.0.0.1:" + port, "cn=admin", "admin");
    try (RunningServer copy = LocalServer.start(folder("copy"), copying);
        ManagementBeans _ = copy.register(ManagementFactory.getPlatformMBeanServer())) {
      SyncMXBean sync =
          JMX.newMXBeanProxy(
              ManagementFactory.getPlatformMBeanServer(),
              new ObjectName(SyncMXBean.NAME),
              SyncMXBean.class);
      try (RunningServer first = LocalServer.start(folder("first"), fixed);
          LDAPConnection client = LocalServer.connectAsRoot(first)) {
        addPerson(client, 77, PEOPLE);
        awaitEqual(access(first), access(copy));
      }
      Files.copy(old, data, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      try (RunningServer _ = LocalServer.start(folder("first"), fixed)) {
        eventually(
            "the provider refuses",
            () -> sync.getCopies().getFirst().error().contains("restored from a backup"));
        try (LDAPConnection root = LocalServer.connectAsRoot(copy)) {
          assertThat(root.getEntry("uid=p77," + PEOPLE)).isNotNull();
        }
      }
    }
  }

  @Test
  void nonsenseHarmsNothing() throws Exception {
    try (ServerSocket provider = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> speakNonsense(provider));
      try (RunningServer nyala =
              LocalServer.start(
                  folder("nyala"),
                  consuming("ldap://127.0.0.1:" + provider.getLocalPort(), "cn=a", "b"));
          ManagementBeans _ = nyala.register(ManagementFactory.getPlatformMBeanServer())) {
        SyncMXBean sync =
            JMX.newMXBeanProxy(
                ManagementFactory.getPlatformMBeanServer(),
                new ObjectName(SyncMXBean.NAME),
                SyncMXBean.class);
        eventually(
            "several attempts have failed", () -> sync.getCopies().getFirst().attempts() > 2);
        assertThat(sync.getCopies().getFirst().error()).isNotEmpty();
        assertThat(sync.getCopies().getFirst().phase()).isNotEqualTo("following");
      }
    }
  }

  /** Accepts binds, and answers everything else with bytes that are no LDAP. */
  private static void speakNonsense(ServerSocket provider) {
    while (!provider.isClosed()) {
      try (Socket socket = provider.accept();
          InputStream in = socket.getInputStream();
          OutputStream out = socket.getOutputStream()) {
        byte[] request = new byte[1024];
        if (in.read(request) > 0) {
          out.write(new byte[] {0x30, 12, 2, 1, 1, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0});
          if (in.read(request) > 0) {
            out.write(new byte[] {0x30, 7, 2, 1, 2, 0x79, 2, (byte) 0x81, 0, 'x', 'y', 'z'});
          }
        }
      } catch (java.io.IOException _) {
        // The server has closed the connection.
      }
    }
  }
}
