package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.operation.DynamicSettings;
import org.nyala.core.password.PasswordScheme;
import org.nyala.lmdb.LargeThresholds;
import org.nyala.lmdb.LmdbSettings;
import org.nyala.management.JmxAccount;
import org.nyala.management.JmxRole;
import org.nyala.management.WatchSettings;
import org.nyala.netty.WireSettings;

class ConfigurationFileTest {
  private static final NyalaConfig.Integrity NO_INTEGRITY =
      new NyalaConfig.Integrity(List.of(), List.of(), Optional.empty(), 100_000, Optional.empty());

  private static final Path SHIPPED = Path.of("src/packaging/conf/nyala.conf");

  @TempDir Path folder;

  private NyalaConfig read(String text) throws IOException {
    return ConfigurationFile.read(write(text), folder);
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("nyala.conf"), text);
  }

  @Test
  void shouldShipExactlyTheDefaults() throws IOException {
    NyalaConfig shipped = ConfigurationFile.read(SHIPPED, folder);
    NyalaConfig defaults = read("");
    assertThat(shipped)
        .usingRecursiveComparison()
        .ignoringFields("indexes", "settings")
        .isEqualTo(defaults);
    assertThat(defaults.indexes()).isEmpty();
  }

  @Test
  void shouldDocumentEveryKeyInTheShippedFile() throws IOException {
    String text = Files.readString(SHIPPED);
    Config shipped = ConfigFactory.parseFile(SHIPPED.toFile());
    Set<String> undocumented = new TreeSet<>();
    for (String key : ConfigurationFile.keys()) {
      String name = key.substring(key.lastIndexOf('.') + 1);
      boolean commentedOut = text.contains("# " + name + " = ");
      if (!shipped.hasPath(key) && !commentedOut) {
        undocumented.add(key);
      }
    }
    assertThat(undocumented).isEmpty();
    assertThat(ConfigurationFile.keys()).hasSizeGreaterThan(30);
  }

  @Test
  void shouldShipTheDefaultOfEveryKey() throws IOException {
    Map<String, Setting> defaults = read("").settings().all();
    ConfigurationFile.read(SHIPPED, folder)
        .settings()
        .all()
        .forEach(
            (key, setting) -> {
              if (!key.startsWith("nyala.indexes.")) {
                assertThat(setting.value())
                    .as("%s at %s", key, setting.origin())
                    .isEqualTo(defaults.get(key).value());
              }
            });
    assertThat(defaults).allSatisfy((_, setting) -> assertThat(setting.isDefault()).isTrue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"password", "passwordFile"})
  void shouldReadTheShippedFileWithEveryKeyInIt(String secret) throws IOException {
    Files.createDirectory(folder.resolve("conf"));
    for (String file : List.of("root-password", "jmx-admin-password", "jmx-monitor-password")) {
      Files.writeString(folder.resolve("conf").resolve(file), "secret\n");
    }
    StringBuilder text = new StringBuilder();
    int uncommented = 0;
    Set<String> names = new TreeSet<>();
    ConfigurationFile.keys().forEach(key -> names.add(key.substring(key.lastIndexOf('.') + 1)));
    names.remove(secret.equals("password") ? "passwordFile" : "password");
    for (String line : Files.readAllLines(SHIPPED)) {
      String bare = line.strip();
      boolean isKey =
          bare.startsWith("# ") && names.stream().anyMatch(n -> bare.startsWith("# " + n + " = "));
      uncommented += isKey ? 1 : 0;
      // What stands for a hash is none.
      text.append(isKey ? bare.substring(2).replaceAll("\\{SSHA512\\}\\.\\.\\.", "secret") : line)
          .append('\n');
    }
    assertThat(uncommented).isGreaterThan(2);
    assertThat(read(text.toString()).root()).isPresent();
  }

  @Test
  void shouldNameTheFileOnceWhereABraceIsMissing() throws IOException {
    Path file = write("nyala {\n  limits {\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file + ": 3: expecting");
  }

  @Test
  void shouldKnowWhereEveryValueComesFrom() throws IOException {
    Path file =
        write(
            """
            nyala {
              data = ${?HOME}
              readOnly = true
              root { dn = "cn=x", password = geheim }
            }
            """);
    Map<String, Setting> settings = ConfigurationFile.read(file, folder).settings().all();
    assertThat(settings.get("nyala.data").origin()).isEqualTo("environment");
    assertThat(settings.get("nyala.readOnly")).isEqualTo(new Setting("true", file + ":3", false));
    assertThat(settings.get("nyala.serverId")).isEqualTo(new Setting("0", "default", false));
    assertThat(settings.get("nyala.root.password"))
        .isEqualTo(new Setting("null", file + ":4", true));
    assertThat(settings.toString()).doesNotContain("geheim");
  }

  @Test
  void shouldUseTheRecordsOwnDefaults() throws IOException {
    NyalaConfig defaults = read("nyala {}");
    assertThat(defaults.limits()).isEqualTo(ServerLimits.DEFAULT);
    assertThat(defaults.wire()).isEqualTo(WireSettings.on("127.0.0.1", 1389));
    assertThat(defaults.store()).isEqualTo(LmdbSettings.DEFAULT);
    assertThat(defaults.access()).isEqualTo(new AccessPolicy(false));
    assertThat(defaults.updates())
        .isEqualTo(
            new NyalaConfig.Updates(
                false, 0, List.of(), PasswordScheme.SSHA512, NO_INTEGRITY, Optional.empty()));
    assertThat(defaults.root()).isEmpty();
    assertThat(defaults.management().jmx().address()).isEmpty();
    assertThat(defaults.management().watch()).isEqualTo(WatchSettings.DEFAULT);
    assertThat(defaults.data()).isEqualTo(folder.resolve("data"));
    assertThat(defaults.dispatch())
        .isEqualTo(new NyalaConfig.Dispatch("adaptive", 0, 0, 0, 4, 0, 50, 5, 0, 2, 30));
  }

  @Test
  void shouldMapEveryKey() throws IOException {
    NyalaConfig config =
        read(
            """
            nyala {
              listeners = ["ldap://0.0.0.0:389", "ldap://[::1]:0"]
              data = /srv/directory
              root { dn = "cn=root", password = secret }
              access { anonymousRead = true, selfPasswordChange = false, writers = ["cn=a", "cn=b"] }
              readOnly = true, serverId = 4095, password.scheme = BCRYPT
              dynamicEntries {
                enabled = true, maximumTtlSeconds = 90000, minimumTtlSeconds = 2, defaultTtlSeconds = 3
                checkIntervalSeconds = 4, entries = 5
              }
              dispatch {
                strategy = striped, eventLoops = 3, connectionsPerEventLoop = 5, workers = 5, hashThreads = 2, hashNiceness = 9, writerNiceness = 19, writerSharePercent = 44, writerRestMillis = 50
                queues = 3, permits = 7, laziness = 6, ownerSharePercent = 48, connectionTable = sharded(16)
              }
              transport = nio
              limits {
                inFlightPerConnection = 11, deferredPerConnection = 12, filterDepth = 13, filterNodes = 14
                dnLength = 115, dnRdns = 16, requestedAttributes = 17, controls = 18
                sizeLimit = 19, timeLimitSeconds = 20, lookThroughLimit = 21, aliasDepth = 22
                admissionTimeoutSeconds = 49
                writeQueue = 35, writeBatch = 36, treeDeleteEntries = 37, valuesPerAttribute = 38
                attributeOptions = 47
                transactionsPerConnection = 41, transactionUpdates = 42, transactionBytes = 4300
                persistentSearches = 44, persistentSearchesPerConnection = 45, persistentSearchBytes = 4600
                sortEntries = 39, sortMemoryMebibytes = 40
                pduLimitAnonymousBytes = 2300, pduLimitBoundBytes = 2400, connections = 25, connectionsPerAddress = 26
                partialPduTimeoutSeconds = 27, idleTimeoutSeconds = 28, writeStallTimeoutSeconds = 29
                drainTimeoutSeconds = 30, writeBufferLowBytes = 31, writeBufferHighBytes = 32
              }
              management {
                http = "127.0.0.1:80", jmx = "0.0.0.0:81"
                jmxAdmin { user = a, password = "{CLEARTEXT}b" }, jmxMonitor { user = c, password = d }
                watch { intervalSeconds = 48, mapFullPercent = 49, longReadSeconds = 51, queueWaitMillis = 52 }
              }
              store { mapSizeGiB = 33, maximumMapSizeGiB = 47, maximumReaders = 34, readAhead = false
                valuesInRecord = 35, valueBytesInRecord = 3600 }
              indexes { uid = [eq], cn = [eq, sub] }
            }
            """);
    assertThat(config.data()).isEqualTo(Path.of("/srv/directory"));
    assertThat(config.root()).contains(new NyalaConfig.Root("cn=root", "secret"));
    assertThat(config.access()).isEqualTo(new AccessPolicy(true).withSelfPasswordChange(false));
    assertThat(config.dispatch())
        .isEqualTo(new NyalaConfig.Dispatch("striped", 5, 3, 7, 6, 2, 48, 9, 19, 44, 50));
    assertThat(config.limits())
        .isEqualTo(
            new ServerLimits(
                11,
                12,
                13,
                14,
                115,
                16,
                17,
                18,
                19,
                20,
                21,
                22,
                49,
                new ServerLimits.UpdateLimits(35, 36, 37, 38, 47),
                new ServerLimits.SortLimits(39, 40),
                new ServerLimits.StandingLimits(41, 42, 4300, 44, 45, 4600)));
    assertThat(config.updates())
        .isEqualTo(
            new NyalaConfig.Updates(
                true,
                4095,
                List.of("cn=a", "cn=b"),
                PasswordScheme.BCRYPT,
                NO_INTEGRITY,
                Optional.of(new DynamicSettings(90_000, 2, 3, 4, 5))));
    assertThat(config.wire())
        .isEqualTo(
            new WireSettings(
                List.of(
                    new WireSettings.Listener("0.0.0.0", 389), new WireSettings.Listener("::1", 0)),
                WireSettings.Transport.NIO,
                3,
                5,
                2300,
                2400,
                25,
                26,
                27_000,
                28_000,
                29_000,
                30_000,
                new WireSettings.WaterMarks(31, 32),
                new WireSettings.Table(16)));
    assertThat(config.management().http()).contains(new ListenAddress("127.0.0.1", 80));
    assertThat(config.management().jmx().address()).contains(new ListenAddress("0.0.0.0", 81));
    assertThat(config.management().watch()).isEqualTo(new WatchSettings(48, 49, 51, 52));
    assertThat(config.management().jmx().accounts())
        .extracting(JmxAccount::user, JmxAccount::role)
        .containsExactly(tuple("a", JmxRole.ADMINISTRATOR), tuple("c", JmxRole.MONITOR));
    assertThat(config.store())
        .isEqualTo(
            new LmdbSettings(
                33L << 30,
                47L << 30,
                34,
                false,
                false,
                LmdbSettings.DEFAULT.durability(),
                new LargeThresholds(35, 3600)));
    assertThat(config.indexes())
        .isEqualTo(Optional.of(Map.of("uid", List.of("eq"), "cn", List.of("eq", "sub"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "listener = 1|nyala.listener: there is no such key; expected one of access, data, dispatch",
        "limits { filterDepht = 1 }|nyala.limits.filterDepht: there is no such key",
        "dispatch { a { b = 1 } }|nyala.dispatch.a: there is no such key",
        "limits { filterDepth = deep }"
            + "|nyala.limits.filterDepth: expected a whole number from 1 to 512, found 'deep'",
        "limits { filterDepth = 0 }"
            + "|nyala.limits.filterDepth: expected a whole number from 1 to 512, found '0'",
        "limits { filterDepth = 513 }|nyala.limits.filterDepth: expected a whole number from 1",
        "limits { filterDepth = 1.5 }|nyala.limits.filterDepth: expected a whole number from 1",
        "limits { filterDepth = [1] }|nyala.limits.filterDepth: expected a whole number from 1",
        "limits { sizeLimit = 99999999999999999999 }|nyala.limits.sizeLimit: expected a whole",
        "limits = 1|nyala.limits: expected an object in braces, found '1'",
        "limits { pduLimitBoundBytes = 2000 }|nyala.limits.pduLimitBoundBytes: expected a whole number from 65536",
        "dynamicEntries { maximumTtlSeconds = 86399 }"
            + "|nyala.dynamicEntries.maximumTtlSeconds: expected a whole number from 86400 to 31557600",
        "dynamicEntries { defaultTtlSeconds = 86401 }"
            + "|nyala.dynamicEntries.defaultTtlSeconds: expected a whole number from 1 to 86400",
        "dynamicEntries { minimumTtlSeconds = 86401 }"
            + "|nyala.dynamicEntries.minimumTtlSeconds: expected a whole number from 0 to 86400",
        "store { mapSizeGiB = 10, maximumMapSizeGiB = 9 }"
            + "|nyala.store.maximumMapSizeGiB: expected a whole number from 10 to 16384, found '9'",
        "access { anonymousRead = maybe }"
            + "|nyala.access.anonymousRead: expected true or false, found 'maybe'",
        "dispatch { strategy = fast }"
            + "|nyala.dispatch.strategy: expected one of adaptive, run-to-completion, striped,"
            + " virtual-threads, multi-queue, single-queue, load-conditioned, lightweight,"
            + " lightweight-conditioned, found 'fast'",
        "dispatch { queues = 0 }"
            + "|nyala.dispatch.queues: expected auto or a whole number from 1 to 1024, found '0'",
        "dispatch { connectionTable = sharded }"
            + "|nyala.dispatch.connectionTable: expected per-loop, global-lock or sharded(n), n from 1 to 1024, found 'sharded'",
        "dispatch { workers = 0 }"
            + "|nyala.dispatch.workers: expected auto or a whole number from 1 to 1024, found '0'",
        "transport = kqueue|nyala.transport: expected one of auto, epoll, io_uring, nio, found",
        "listeners = []|nyala.listeners: expected at least one listener",
        "listeners = [\"ldaps://x\"]"
            + "|nyala.listeners: expected ldap://HOST or ldap://HOST:PORT, found 'ldaps://x'",
        "listeners = \"ldap://x\"|nyala.listeners: expected a list in brackets, found 'ldap://x'",
        "data = \" \"|nyala.data: expected text that is not blank",
        "root { dn = \"cn=x\" }|nyala.root.dn: expected either password or passwordFile beside it",
        "root { password = x }|nyala.root: a password needs a dn beside it",
        "root { dn = \"cn=x\", password = a, passwordFile = b }"
            + "|nyala.root.passwordFile: expected either password or passwordFile, found both",
        "root { dn = \"cn=x\", passwordFile = none }|nyala.root.passwordFile: no such file",
        "management { http = x }|nyala.management.http: expected HOST:PORT, found 'x'",
        "management { jmx = \"0.0.0.0:9340\" }"
            + "|nyala.management.jmx: 0.0.0.0 is no loopback address: expected a user and a password",
        "management { jmx = \"no.such.host.invalid:1\" }"
            + "|nyala.management.jmx: there is no host no.such.host.invalid",
        "management { jmxAdmin { user = x } }"
            + "|nyala.management.jmxAdmin.user: expected either password or passwordFile beside it",
        "management { jmxMonitor { password = x } }"
            + "|nyala.management.jmxMonitor: a password needs a user beside it",
        "management { jmxAdmin { user = x, password = \"{ROT13}y\" } }"
            + "|nyala.management.jmxAdmin.password: what follows the scheme is damaged",
        "management { jmxAdmin { user = x, password = y }, jmxMonitor { user = x, password = y } }"
            + "|nyala.management.jmxMonitor.user: expected another user than that of jmxAdmin",
        "indexes { uid = [fast] }|nyala.indexes.uid: expected a list of one or more of eq, sub",
        "indexes { uid = [eq, approx] }|nyala.indexes.uid: expected a list of one or more of eq, sub, pres,"
            + " ord; eq answers approximate matches (~=) as well",
        "indexes { uid = [] }|nyala.indexes.uid: expected a list of one or more of eq, sub",
        "indexes { uid = eq }|nyala.indexes.uid: expected a list in brackets, found 'eq'"
      })
  void shouldSayFileLineKeyAndWhatWasExpected(String setting, String complaint) throws IOException {
    Path file = write("nyala {\n\n" + setting + "\n}\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file + ":3: " + complaint);
  }

  @Test
  void shouldRefuseKeysBesideNyala() throws IOException {
    Path file = write("\nniala { data = x }\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(file + ":2: niala: there is no such key; expected one of nyala");
  }

  @Test
  void shouldSayWhereAFileIsNotHocon() throws IOException {
    Path file = write("nyala {\n  data = \n    x y [\n");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file.toString());
  }

  @Test
  void shouldRefuseAFileThatIsNotThere() {
    Path file = folder.resolve("missing.conf");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(file + ": there is no such file");
  }

  @Test
  void shouldReadTheRootPasswordOfAFile() throws IOException {
    Files.writeString(folder.resolve("secret"), "{SSHA}abc\nsecond line\n");
    NyalaConfig config = read("nyala.root { dn = \"cn=x\", passwordFile = secret }");
    assertThat(config.root()).contains(new NyalaConfig.Root("cn=x", "{SSHA}abc"));
    assertThat(config.toString()).doesNotContain("abc");
  }

  @Test
  void shouldLetTheCommandLineWin() throws IOException {
    NyalaConfig config =
        read("nyala.data = a")
            .withData(Path.of("b"))
            .withListeners(List.of(new ListenAddress("::1", 0)));
    assertThat(config.data()).isEqualTo(Path.of("b"));
    assertThat(config.wire().listeners()).containsExactly(new WireSettings.Listener("::1", 0));
  }

  @Test
  void shouldReadWhatIsKeptTrueOfEntriesTogether() throws Exception {
    Path file = folder.resolve("integrity.conf");
    Files.writeString(
        file,
        """
        nyala {
          uniqueness = [{ attributes = [uid, mail], base = "dc=a", filter = "(cn=*)" }, { attributes = [cn] }]
          referentialIntegrity { attributes = [member], emptyPlaceholder = "cn=x", referencesPerChange = 7 }
          memberOf { enabled = true, groupAttributes = [owner], nested = true, groups = 5 }
        }
        """);
    assertThat(ConfigurationFile.read(file, folder).updates().integrity())
        .isEqualTo(
            new NyalaConfig.Integrity(
                List.of(
                    new NyalaConfig.Unique(
                        List.of("uid", "mail"), Optional.of("dc=a"), Optional.of("(cn=*)")),
                    new NyalaConfig.Unique(List.of("cn"), Optional.empty(), Optional.empty())),
                List.of("member"),
                Optional.of("cn=x"),
                7,
                Optional.of(new NyalaConfig.MemberOf(List.of("owner"), true, 5))));
    Files.writeString(file, "nyala { uniqueness = [{ attributes = [uid], bse = x }] }");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder)).hasMessageContaining("bse");
    Files.writeString(file, "nyala { uniqueness = [uid] }");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder)).hasMessageContaining("braces");
  }
}
