package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.access.MinimumStrength;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.HashCost;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.quality.PasswordChecks;
import org.nyala.core.sasl.GssapiAcceptor;
import org.nyala.core.sasl.GssapiSettings;
import org.nyala.core.sasl.NamePattern;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.sasl.NameSalts;
import org.nyala.core.sasl.Protection;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.dynamic.DynamicSettings;
import org.nyala.error.ConfigurationException;
import org.nyala.error.Setting;
import org.nyala.integrity.IntegritySettings;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LargeThresholds;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.log.LogSettings;
import org.nyala.log.SecuritySettings;
import org.nyala.management.WatchSettings;
import org.nyala.management.http.HttpAccess;
import org.nyala.management.http.HttpAccount;
import org.nyala.management.jmxport.JmxAccount;
import org.nyala.management.jmxport.JmxBounds;
import org.nyala.management.jmxport.JmxRole;
import org.nyala.netty.WireSettings;
import org.nyala.netty.tls.ClientCertificates;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderLogin;
import org.nyala.replica.ProviderUrl;
import org.nyala.replica.ReplicationSettings;
import org.nyala.sasl.TestKeytab;

/** Tests how the keys of a configuration are read. */
class ConfigurationFileTest extends ConfigurationTestCase {
  private static final IntegritySettings NO_INTEGRITY =
      new IntegritySettings(
          List.of(),
          new IntegritySettings.References(
              List.of(),
              IntegritySettings.LastValue.PLACEHOLDER,
              "cn=empty-membership-placeholder",
              false,
              100_000,
              false),
          Optional.empty());

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
    assertThat(defaults.store())
        .usingRecursiveComparison()
        .ignoringFields("maximumReaders") // More on large machines.
        .isEqualTo(LmdbSettings.DEFAULT);
    assertThat(defaults.access())
        .isEqualTo(
            new AccessPolicy(false)
                .withMinimumStrength(MinimumStrength.DEFAULT)
                .withSasl(SaslSettings.DEFAULT)
                .withGuessing(GuessingLimits.DEFAULT));
    assertThat(defaults.updates())
        .isEqualTo(
            new NyalaConfig.Updates(
                false,
                0,
                List.of(),
                PasswordScheme.ARGON2,
                HashBounds.DEFAULT,
                true,
                true,
                0,
                new RememberedPasswords.Settings(600, 100_000),
                Optional.empty(),
                List.of(),
                PolicySettings.NONE,
                new NyalaConfig.Quality(30, true, Optional.empty()),
                NO_INTEGRITY,
                Optional.empty(),
                Optional.empty(),
                new NyalaConfig.ModificationLog("cn=accesslog", List.of())));
    assertThat(defaults.root()).isEmpty();
    assertThat(defaults.rootAccounts()).isEmpty();
    assertThat(defaults.management().http())
        .isEqualTo(new NyalaConfig.Http(Optional.empty(), false, HttpAccess.OPEN));
    assertThat(defaults.management().jmx().address()).isEmpty();
    assertThat(defaults.management().jmx().isTls()).isFalse();
    assertThat(defaults.management().tls()).isEqualTo(TlsSettings.NONE);
    assertThat(defaults.management().jmx().bounds()).isEqualTo(JmxBounds.DEFAULT);
    assertThat(defaults.management().watch()).isEqualTo(WatchSettings.DEFAULT);
    assertThat(defaults.data()).isEqualTo(folder.resolve("data"));
    assertThat(defaults.dispatch())
        .isEqualTo(
            new NyalaConfig.Dispatch(
                "adaptive", 0, 0, 0, 4, 0, 0, 50, 5, new NyalaConfig.WriterShare(0, 2, 30)));
  }

  private ReplicationSettings replication() {
    return new ReplicationSettings(
        new ProviderAccess(
            new ProviderUrl("provider", 390, false),
            new ProviderAccess.Encryption(
                true,
                false,
                folder.resolve("f.pem"),
                false,
                new TlsSettings.Files(folder.resolve("g.pem"), Path.of("/h"), "i")),
            new ProviderLogin("PLAIN", "cn=a", "b", "c", "d", null, folder.resolve("e")),
            94_000,
            95_000,
            93 << 20),
        List.of("dc=a", "dc=b"),
        88,
        false,
        "ldaps://other:636",
        89,
        new ReplicationSettings.Queue(90, 91L << 20, 92L << 20),
        new ReplicationSettings.Retry(97_000, 98_000, 96_000),
        193);
  }

  @Test
  void shouldMapEveryKey() throws IOException {
    TestKeytab.write(folder.resolve("ldap.keytab"), "ldap/a@R", "ldap/b@R");
    Files.writeString(folder.resolve("krb5.conf"), "[libdefaults]\n");
    NyalaConfig config =
        read(
            """
            nyala {
              listeners = ["ldap://0.0.0.0:389", "ldaps://[::1]:0"]
              tls { certificate = a.pem, key = /b, password = c, engine = jdk, handshakeTimeoutSeconds = 64, checkIntervalSeconds = 72
                clientCertificate = optional, clientCa = ca.pem, clientRevocation = ocsp, clientCrl = /crl
                clientRevocationHard = false, clientRevocationTimeoutSeconds = 59
                certificates = [{ certificate = d.p12 }] }
              proxy.from = [192.0.2.0/24]
              ldapi { mode = rwxrwx---, group = ldap, strengthBits = 73 }
              sasl { mechanisms = [PLAIN], map = [{ match = a, dn = "cn=a" }], timeoutSeconds = 74, lookThroughLimit = 75
                decoyIterations = 7600, secret = "0123456789abcdef0123456789abcdef"
                gssapi { keytab = ldap.keytab, principal = "ldap/b@R", krb5Conf = krb5.conf, layers = [auth-int]
                  requireMutual = false, tokenBytes = 77000, bufferBytes = 78000 } }
              data = /srv/directory
              schema { folders = [/etc/ldap/schema, own], replace = [e], with = [pmi],
                without = [nis] }
              root { dn = "cn=root", password = secret }
              rootAccounts = [ { dn = "cn=r", password = secret, suffixes = ["dc=a"] } ]
              access { anonymousRead = true, selfPasswordChange = false, writers = ["cn=a", "cn=b"] }
              guessing { failuresPerSource = 77, failuresPerName = 78, failuresPerKnownSource = 79, refillSeconds = 80 }
              security.minimumStrength { any = 65, simpleBind = 66, write = 67 }
              readOnly = true, serverId = 4095, password { scheme = BCRYPT, maximumCryptRounds = 6000, maximumBcryptCost = 12
                maximumPbkdf2Iterations = 680000, maximumArgon2Kibibytes = 69000, maximumArgon2Passes = 70
                maximumArgon2Lanes = 71, maximumYescryptKibibytes = 72, maximumYescryptPasses = 73,
                argon2Kibibytes = 8000, argon2Passes = 6, pbkdf2Iterations = 220000, bcryptCost = 11
                cryptRounds = 5500, scramIterations = 12000, expectedLoginsPerSecond = 76
                hashClearText = false, upgradeAtBind = false, rememberSeconds = 74, rememberedLogins = 75 }
              passwordPolicy {
                default = "cn=policy", tellLocked = true, netscapeControls = false, lastBind = true
                lastBindPrecisionSeconds = 72, alwaysNoteChange = true, minimumGuessBits = 73, refuseOwnAttributes = false
                breachedPasswords = breached
                rules = [{ subtree = "ou=a", filter = "(cn=b)", group = "cn=c", policy = "cn=other" }]
              }
              dynamicEntries {
                enabled = true, maximumTtlSeconds = 90000, minimumTtlSeconds = 2, defaultTtlSeconds = 3
                checkIntervalSeconds = 4, entries = 5
              }
              dispatch {
                strategy = striped, eventLoops = 3, connectionsPerEventLoop = 5, workers = 5, hashThreads = 2, diskThreads = 54, hashNiceness = 9, writerNiceness = 19, writerSharePercent = 44, writerRestMillis = 50
                queues = 3, permits = 7, laziness = 6, ownerSharePercent = 48, connectionTable = sharded(16)
              }
              transport = nio
              codec = apache
              limits {
                inFlightPerConnection = 11, deferredPerConnection = 12, filterDepth = 13, filterNodes = 14
                dnLength = 115, dnRdns = 16, requestedAttributes = 17, controls = 18
                sizeLimit = 19, timeLimitSeconds = 20, lookThroughLimit = 21, aliasDepth = 22, dereferencedAttributes = 23, dereferencedValues = 24
                admissionTimeoutSeconds = 49, hashQueueSeconds = 81, hashQueue = 99
                writeQueue = 35, writeBatch = 36, treeDeleteEntries = 37, valuesPerAttribute = 38
                attributeOptions = 47, ruleLookups = 6400, entryRecordBytes = 70000, entryBytes = 80000
                transactions = 82, transactionsPerConnection = 41, transactionUpdates = 42, transactionBytes = 4300
                persistentSearches = 44, persistentSearchesPerConnection = 45, persistentSearchBytes = 4600
                sortEntries = 39, sortMemoryMebibytes = 40
                pduLimitAnonymousBytes = 2300, pduLimitBoundBytes = 2400, connections = 25, connectionsPerAddress = 26
                partialPduTimeoutSeconds = 27, idleTimeoutSeconds = 28, writeStallTimeoutSeconds = 29
                partialPduBytesPerSecond = 55, writeStallBytesPerSecond = 56
                memory { mebibytes = 57, ownerPercent = 58, connectionPercent = 59, operationMebibytes = 62, fullPercent = 63, requestElements = 600, assertionBytes = 6300
                  persistentSearchesPerIdentity = 61, persistentSearchRequestBytes = 6200 }
                drainTimeoutSeconds = 30, writeBufferLowBytes = 31, writeBufferHighBytes = 32
              }
              management {
                http = "127.0.0.1:80", jmx = "0.0.0.0:81", httpTls = true, jmxTls = true
                httpPage = login, httpMonitor { user = e, password = f }, httpAdmin { user = j, password = k }, tls { certificate = g.pem, key = /h, password = i }
                jmxAdmin { user = a, password = "{CLEARTEXT}b" }, jmxMonitor { user = c, password = d }
                searchShapes = 40, jmxConnectionsPerAddress = 53, jmxLoginSeconds = 54
                watch { intervalSeconds = 48, mapFullPercent = 49, diskLowMebibytes = 301, diskScarceMebibytes = 302, longReadSeconds = 51, queueWaitMillis = 52, copyLagSeconds = 99 }
              }
              store { mapSizeGiB = 33, maximumMapSizeGiB = 47, maximumReaders = 84, readAhead = false
                valuesInRecord = 35, valueBytesInRecord = 3600, rememberedSearches = 53, planMemoryMebibytes = 54
                compactionJournalMebibytes = 55, readerAgeSeconds = off
                journalChanges = 85, journalMebibytes = 86, journalHours = 87, create = never }
              modificationLog { mebibytes = 88, base = "cn=log", readers = ["cn=c"] }
              indexes { uid = [eq], cn = [eq, sub] }
              attributeOptions = [Lang-, x-hidden]
              secretAttributes = [authPassword, 1.2.3]
              replication { provider = "ldap://provider:390", suffixes = ["dc=a", "dc=b"], replicaId = 88
                startTls = true, requireEncryption = false
                bind { mechanism = PLAIN, dn = "cn=a", user = b, realm = c, password = d, keytab = e }
                tls { trust = f.pem, verifyHost = false, certificate = g.pem, key = /h, password = i }
                writes = refuse, referTo = "ldaps://other", maximumDeletePercent = 89
                queuedMessages = 90, queuedMebibytes = 91, waitingMebibytes = 92, maximumMessageMebibytes = 93
                connectTimeoutSeconds = 94, answerTimeoutSeconds = 95
                idleCheckSeconds = 96, retrySeconds = 97, maximumRetrySeconds = 98,
                readyLagSeconds = 193 }
            }
            """);
    assertThat(config.data()).isEqualTo(Path.of("/srv/directory"));
    assertThat(config.ownSchema().folders())
        .containsExactly(Path.of("/etc/ldap/schema"), folder.resolve("own"));
    assertThat(config.ownSchema().replaced()).containsExactly("e");
    assertThat(config.ownSchema().with()).containsExactly("pmi");
    assertThat(config.ownSchema().without()).containsExactly("nis");
    assertThat(config.root()).contains(new NyalaConfig.Root("cn=root", "secret"));
    assertThat(config.rootAccounts())
        .containsExactly(new NyalaConfig.Root("cn=r", "secret", List.of("dc=a")));
    assertThat(config.access())
        .isEqualTo(
            new AccessPolicy(true)
                .withSelfPasswordChange(false)
                .withMinimumStrength(new MinimumStrength(65, 66, false, 67))
                .withSasl(
                    new SaslSettings(
                        Set.of(SaslMechanism.PLAIN),
                        List.of(
                            NameRule.naming(
                                SaslMechanism.ofTypedNames(), new NamePattern("a"), "cn=a")),
                        74,
                        75,
                        7600,
                        NameSalts.of("0123456789abcdef".repeat(2)),
                        GssapiAcceptor.open(
                            new GssapiSettings(
                                folder.resolve("ldap.keytab"),
                                "ldap/b@R",
                                folder.resolve("krb5.conf"),
                                Set.of(Protection.AUTH_INT),
                                false,
                                77_000,
                                78_000))))
                .withGuessing(new GuessingLimits(77, 78, 79, 80)));
    assertThat(config.dispatch())
        .isEqualTo(
            new NyalaConfig.Dispatch(
                "striped", 5, 3, 7, 6, 2, 54, 48, 9, new NyalaConfig.WriterShare(19, 44, 50)));
    assertThat(config.limits())
        .isEqualTo(
            new ServerLimits(
                new ServerLimits.RequestLimits(13, 14, 115, 16, 17, 18),
                new ServerLimits.SearchLimits(19, 20, 21, 22, 23, 24),
                new ServerLimits.SessionLimits(11, 12, 49, 81, 99),
                new ServerLimits.UpdateLimits(
                    35, 36, 37, 38, 47, 6400, new ServerLimits.EntrySizes(70_000, 80_000)),
                new ServerLimits.SortLimits(39, 40),
                new ServerLimits.StandingLimits(82, 41, 42, 4300, 44, 45, 4600),
                new ServerLimits.MemoryLimits(57, 58, 59, 62, 63, 600, 6300, 61, 6200)));
    assertThat(config.updates())
        .isEqualTo(
            new NyalaConfig.Updates(
                true,
                4095,
                List.of("cn=a", "cn=b"),
                PasswordScheme.BCRYPT,
                new HashBounds(
                    6000,
                    12,
                    680_000,
                    69_000,
                    70,
                    71,
                    72,
                    73,
                    new HashCost(8000, 6, 220_000, 11, 5500, 12_000)),
                false,
                false,
                76,
                new RememberedPasswords.Settings(74, 75),
                Optional.of("cn=policy"),
                List.of(
                    new NyalaConfig.PolicyChoice(
                        Optional.of("ou=a"),
                        Optional.of("(cn=b)"),
                        Optional.of("cn=c"),
                        "cn=other")),
                new PolicySettings(
                    null, List.of(), true, false, true, 72, true, PasswordChecks.NONE),
                new NyalaConfig.Quality(73, false, Optional.of(folder.resolve("breached"))),
                NO_INTEGRITY,
                Optional.of(new DynamicSettings(90_000, 2, 3, 4, 5)),
                Optional.of(replication()),
                new NyalaConfig.ModificationLog("cn=log", List.of("cn=c"))));
    assertThat(config.wire())
        .isEqualTo(
            new WireSettings(
                List.of(
                    new WireSettings.Listener("0.0.0.0", 389),
                    new WireSettings.Listener("::1", 0, true)),
                WireSettings.Transport.NIO,
                new WireSettings.Loops(3, 5),
                new WireSettings.PduLimits(2300, 2400),
                new WireSettings.Connections(25, 26),
                new WireSettings.Timeouts(27_000, 28_000, 29_000, 30_000),
                new WireSettings.WaterMarks(31, 32),
                new WireSettings.Table(16),
                new WireSettings.Rates(55, 56),
                WireSettings.Codec.APACHE,
                new TlsSettings(
                    TlsSettings.Engine.JDK,
                    List.of(
                        new TlsSettings.Files(folder.resolve("a.pem"), Path.of("/b"), "c"),
                        new TlsSettings.Files(folder.resolve("d.p12"), null, null)),
                    64_000,
                    72,
                    new ClientCertificates(
                        ClientCertificates.Demand.OPTIONAL,
                        folder.resolve("ca.pem"),
                        ClientCertificates.Revocation.OCSP,
                        Path.of("/crl"),
                        false,
                        59))));
    assertThat(config.management().http().address()).contains(new ListenAddress("127.0.0.1", 80));
    assertThat(config.management().jmx().address()).contains(new ListenAddress("0.0.0.0", 81));
    assertThat(config.management().http().isTls()).isTrue();
    HttpAccess http = config.management().http().access();
    assertThat(http.monitor().map(HttpAccount::user)).contains("e");
    assertThat(http.admin().map(HttpAccount::user)).contains("j");
    assertThat(http.page()).isEqualTo(HttpAccess.PageAccess.LOGIN);
    assertThat(config.management().jmx().isTls()).isTrue();
    assertThat(config.management().tls())
        .isEqualTo(
            new TlsSettings(
                TlsSettings.Engine.JDK,
                List.of(new TlsSettings.Files(folder.resolve("g.pem"), Path.of("/h"), "i")),
                64_000,
                72,
                ClientCertificates.NONE));
    assertThat(config.management().watch())
        .isEqualTo(new WatchSettings(48, 49, 301, 302, 51, 52, 99));
    assertThat(config.management().searchShapes()).isEqualTo(40);
    assertThat(read("").management().searchShapes()).isEqualTo(512);
    assertThat(config.management().jmx().bounds()).isEqualTo(new JmxBounds(53, 54));
    assertThat(config.management().jmx().accounts())
        .extracting(JmxAccount::user, JmxAccount::role)
        .containsExactly(tuple("a", JmxRole.ADMINISTRATOR), tuple("c", JmxRole.MONITOR));
    assertThat(config.store())
        .isEqualTo(
            new LmdbSettings(
                33L << 30,
                47L << 30,
                84,
                false,
                false,
                LmdbSettings.DEFAULT.durability(),
                new LargeThresholds(35, 3600),
                53,
                54L << 20,
                55L << 20,
                0,
                new JournalBounds(85, 86L << 20, 87, 88L << 20),
                LmdbSettings.Creation.NEVER));
    assertThat(config.indexes())
        .isEqualTo(Optional.of(Map.of("uid", List.of("eq"), "cn", List.of("eq", "sub"))));
    assertThat(config.attributeOptions().names()).containsExactly("lang-", "x-hidden");
    assertThat(config.secretTypes().names()).containsExactly("authPassword", "1.2.3");
  }

  @Test
  void shouldReadTheSecurityLog() throws IOException {
    LogSettings file = new LogSettings(folder.resolve("s"), 2L << 20, 3, 400, 5L << 20);
    NyalaConfig config =
        read(
            """
            nyala.log {
              security { format = json, file = s, fileMebibytes = 2, files = 3, successfulBinds = false, failuresPerSecond = 7 }
              queueRecords = 400, queueMebibytes = 5, slowMillis = 250
            }
            """);
    assertThat(config.logs().security())
        .contains(new SecuritySettings(SecuritySettings.Format.JSON, false, 7, true, file));
    assertThat(config.logs().slowMillis()).isEqualTo(250);
    assertThat(read("").logs().slowMillis()).isEqualTo(100);
    assertThat(read("nyala.log.security.format = off").logs().security()).isEmpty();
    assertThat(read("").logs().security())
        .contains(
            new SecuritySettings(
                SecuritySettings.Format.TEXT,
                true,
                100,
                false,
                new LogSettings(
                    folder.resolve("logs/security.log"), 64L << 20, 8, 65_536, 32L << 20)));
    assertThat(read("nyala.log.security.file = logs/security.log").logs().security())
        .map(SecuritySettings::isRequired)
        .contains(true);
  }

  @Test
  void shouldRefuseSecretAttributesThatAreNoAttributes() {
    for (String name : List.of("a b", "1.", "*", "cn;lang-en")) {
      assertThatThrownBy(() -> read("nyala.secretAttributes = [\"" + name + "\"]"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("nyala.secretAttributes: '" + name + "' is no attribute");
    }
  }

  @Test
  void shouldRefuseOptionsOfAttributesThatAreNone() {
    for (String option : List.of("binary", "x_y", "-")) {
      assertThatThrownBy(() -> read("nyala.attributeOptions = [\"" + option + "\"]"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("nyala.attributeOptions: '" + option + "' is no tagging option");
    }
  }

  @Test
  void shouldHavePlacesForAllThatRead() throws IOException {
    String threads = "dispatch { eventLoops = 100, workers = 5, queues = 50, diskThreads = 20 }";
    assertThat(read("nyala { " + threads + " }").store().maximumReaders()).isEqualTo(404);
    assertThat(read("nyala { " + threads + ", store.maximumReaders = 186 }").store())
        .extracting(LmdbSettings::maximumReaders)
        .isEqualTo(186);
    assertThatThrownBy(() -> read("nyala { " + threads + ", store.maximumReaders = 185 }"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nyala.store.maximumReaders: 185 are too few for the 170 threads")
        .hasMessageContaining("expected 186 at least");
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
  void shouldReadWhatBecomesOfLastValues() throws Exception {
    for (IntegritySettings.LastValue each : IntegritySettings.LastValue.values()) {
      String word = each.name().toLowerCase(Locale.ROOT);
      String text = "nyala { referentialIntegrity { lastValue = " + word;
      assertThat(read(text + " } }").updates().integrity().references().lastValue())
          .isEqualTo(each);
      for (String other : List.of("emptyPlaceholder = \"cn=x\"", "placeholderFor = all")) {
        boolean isUsed = each == IntegritySettings.LastValue.PLACEHOLDER;
        if (isUsed) {
          read(text + ", " + other + " } }");
        } else {
          assertThatThrownBy(() -> read(text + ", " + other + " } }"))
              .hasMessageContaining("lastValue = ");
        }
      }
    }
  }

  @Test
  void shouldReadWhatIsKeptTrueOfEntriesTogether() throws Exception {
    Path file = folder.resolve("integrity.conf");
    Files.writeString(
        file,
        """
        nyala {
          uniqueness = [{ attributes = [uid, mail], base = "dc=a", filter = "(cn=*)" }, { attributes = [cn] }]
          referentialIntegrity { attributes = [member], emptyPlaceholder = "cn=x", placeholderFor = all, referencesPerChange = 7, followMissing = true }
          memberOf { enabled = true, groupAttributes = [owner], nested = true, groups = 5 }
        }
        """);
    assertThat(ConfigurationFile.read(file, folder).updates().integrity())
        .isEqualTo(
            new IntegritySettings(
                List.of(
                    new IntegritySettings.Unique(
                        List.of("uid", "mail"), Optional.of("dc=a"), Optional.of("(cn=*)")),
                    new IntegritySettings.Unique(
                        List.of("cn"), Optional.empty(), Optional.empty())),
                new IntegritySettings.References(
                    List.of("member"),
                    IntegritySettings.LastValue.PLACEHOLDER,
                    "cn=x",
                    true,
                    7,
                    true),
                Optional.of(new IntegritySettings.MemberOf(List.of("owner"), true, 5))));
    Files.writeString(file, "nyala { uniqueness = [{ attributes = [uid], bse = x }] }");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder)).hasMessageContaining("bse");
    Files.writeString(file, "nyala { uniqueness = [uid] }");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder)).hasMessageContaining("braces");
  }
}
