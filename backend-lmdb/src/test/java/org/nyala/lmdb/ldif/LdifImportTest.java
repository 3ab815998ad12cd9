package org.nyala.lmdb.ldif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.password.HashBounds;
import org.nyala.lmdb.Exported;
import org.nyala.lmdb.ImportTestCase;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.IndexDefinition;

/** The stored form of the entries that an import reads. */
class LdifImportTest extends ImportTestCase {
  private static final String PASSWORD = "userPassword:: e1NTSEF9YWJjZGVmZ2hpamtsbW5vcA==";

  @Test
  void shouldGenerateWhatIsAbsentAndKeepTheRest() throws IOException {
    ImportResult result = load(settings().with(draft -> draft.writerName = "cn=loader"), TOP);
    assertThat(result.entriesImported()).isEqualTo(1);
    assertThat(result.suffixes()).containsExactly("dc=example,dc=com");
    assertThat(Exported.ldif(data))
        .matches(
            """
            dn: dc=example,dc=com
            objectClass: top
            objectClass: organization
            objectClass: dcObject
            dc: example
            o: Example
            structuralObjectClass: organization
            entryUUID: [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}
            entryCSN: 20260304050607\\.000008Z#000000#000#000000
            createTimestamp: 20260304050607Z
            modifyTimestamp: 20260304050607Z
            creatorsName: cn=loader
            modifiersName: cn=loader
            contextCSN: 20260304050607\\.000008Z#000000#000#000000

            """);
    assertSound();
  }

  @Test
  void shouldSpellObjectClassesAsTheSchemaDoes() throws IOException {
    load(settings(), TOP.replace("organization", "2.5.6.4").replace("top", "TOP"));
    assertThat(Exported.ldif(data))
        .contains("objectClass: top\nobjectClass: organization\nobjectClass: dcObject\n")
        .contains("structuralObjectClass: organization");
    assertSound();
  }

  @Test
  void shouldTakeWhatSlapcatWritesUnchanged() throws IOException {
    String ldif =
        """
        dn: dc=example,dc=com
        objectClass: top
        objectClass: organization
        objectClass: dcObject
        dc: example
        o: Example
        structuralObjectClass: organization
        entryUUID: 2c1f8a52-7c0e-1040-8d3f-3b0a5f9e1a01
        creatorsName: cn=admin,dc=example,dc=com
        createTimestamp: 20260101120000Z
        entryCSN: 20260101120000.123456Z#000000#000#000000
        modifiersName: cn=admin,dc=example,dc=com
        modifyTimestamp: 20260101120000Z
        contextCSN: 20260102120000.000001Z#000000#000#000000

        dn: uid=ada,dc=example,dc=com
        objectClass: inetOrgPerson
        objectClass: posixAccount
        uid: ada
        cn: Ada
        cn;lang-de: Ada L
        sn:: w4ZvbmU=
        uidNumber: 1000
        gidNumber: 1000
        homeDirectory: /home/ada
        jpegPhoto:: AAECAwQF/v8=
        userPassword:: e1NTSEF9YWJjZGVmZ2hpamtsbW5vcA==
        structuralObjectClass: inetOrgPerson
        entryUUID: 2c1f8a52-7c0e-1040-8d3f-3b0a5f9e1a02
        creatorsName: cn=admin,dc=example,dc=com
        createTimestamp: 20260101120001Z
        entryCSN: 20260101120001.123456Z#000000#000#000000
        modifiersName: cn=admin,dc=example,dc=com
        modifyTimestamp: 20260101120001Z

        """;
    assertThat(load(settings(), ldif).firstRejections()).isEmpty();
    assertSound();
    assertThat(sortedLines(Exported.ldif(data))).isEqualTo(sortedLines(ldif.replace("{SSHA}", "")));
    assertThat(Exported.ldif(data))
        .contains("userPassword:")
        .contains("jpegPhoto:: AAECAwQF/v8=\n");
  }

  /** Hidden passwords and operational attributes are stored separately. */
  private static List<String> sortedLines(String ldif) {
    return ldif.lines()
        .map(line -> line.equals("userPassword: {SSHA}abcdefghijklmnop") ? PASSWORD : line)
        .sorted()
        .toList();
  }

  @Test
  void shouldRejectWithReasonsAndLines() throws IOException {
    Path rejects = directory.resolve("rejects.ldif");
    String ldif =
        TOP
            + person("ok", "")
            + person("ok", "")
            + person("orphan", "").replace("uid=orphan", "uid=orphan,ou=nowhere")
            + person("foreign", "").replace("dc=com", "dc=org")
            + person("type", "shoeSize: 9\n")
            + person("syntax", "uidNumber: one\n").replace("inetOrg", "inetOrg")
            + person("twice", "mail: a@b\nmail: A@B\n")
            + person("single", "preferredLanguage: en\npreferredLanguage: de\n")
            + person("class", "objectClass: nonesuch\n")
            + person("may", "uidNumber: 7\n")
            + person("must", "").replace("sn: must\n", "")
            + person("dn", "").replace("dn: uid=dn", "dn: uid")
            + "dn: cn=abstract,dc=example,dc=com\nobjectClass: top\ncn: abstract\n\n"
            + "dn: cn=none,dc=example,dc=com\ncn: none\n\n"
            + "dn: cn=bad,dc=example,dc=com\nnothing\n\n"
            + person("last", "").replace("cn: last\n", "").replace("uid: last\n", "")
            + person("end", "");
    ImportResult result = load(settings().with(draft -> draft.rejectFile = rejects), ldif);
    assertThat(result.firstRejections())
        .satisfiesExactly(
            r -> assertThat(r).isEqualTo("line 14: an entry of this name exists already"),
            r ->
                assertThat(r)
                    .isEqualTo(
                        "line 26: not within the suffix 'dc=example,dc=com':"
                            + " 'uid=foreign,dc=example,dc=org'; for all naming contexts of the"
                            + " data, name their suffixes in nyala.suffixes of the configuration,"
                            + " or in --suffix"),
            r ->
                assertThat(r).isEqualTo("line 37: the schema has no attribute type for 'shoeSize'"),
            r ->
                assertThat(r)
                    .isEqualTo("line 44: value 1 of uidNumber, 'one', is not a valid INTEGER"),
            r ->
                assertThat(r).isEqualTo("line 52: value 2 of mail, 'A@B', is given more than once"),
            r -> assertThat(r).isEqualTo("line 60: preferredLanguage has one value, not 2"),
            r -> assertThat(r).startsWith("line 62: unknown object class"),
            r -> assertThat(r).startsWith("line 74: the attribute uidNumber is not allowed"),
            r -> assertThat(r).isEqualTo("line 76: required by the object classes but missing: sn"),
            r -> assertThat(r).startsWith("line 81: invalid DN"),
            r -> assertThat(r).isEqualTo("line 87: no structural object class"),
            r -> assertThat(r).isEqualTo("line 91: the entry has no objectClass"),
            r -> assertThat(r).startsWith("line 95: expected \"attribute: value\""),
            r -> assertThat(r).isEqualTo("line 97: required by the object classes but missing: cn"),
            r ->
                assertThat(r)
                    .isEqualTo(
                        "line 20: the parent entry does not exist: 'ou=nowhere,dc=example,dc=com'"
                            + " is missing or was rejected, above"
                            + " 'uid=orphan,ou=nowhere,dc=example,dc=com'; the nearest above it is"
                            + " 'dc=example,dc=com'"));
    assertThat(result.entriesRead()).isEqualTo(18);
    assertThat(result.entriesImported()).isEqualTo(3);
    assertThat(result.entriesRejected()).isEqualTo(15);
    assertThat(Exported.ldif(data).lines().filter(line -> line.startsWith("dn:")))
        .containsExactly(
            "dn: dc=example,dc=com",
            "dn: uid=ok,dc=example,dc=com",
            "dn: uid=end,dc=example,dc=com");
    assertSound();
    String rejected = Files.readString(rejects);
    assertThat(rejected)
        .startsWith("# line 14: an entry of this name exists already\n" + person("ok", ""));
    assertThat(rejected.lines().filter(line -> line.startsWith("# line"))).hasSize(15);
  }

  @Test
  void shouldAddTheValuesOfTheRdn() throws IOException {
    load(
        settings(),
        TOP + "dn: cn=Ann\\2C B+sn=Bee,dc=example,dc=com\nobjectClass: person\ncn:  ann,  b\n\n");
    assertThat(Exported.ldif(data)).contains("cn: ann,  b\nsn: Bee\n").doesNotContain("cn: Ann");
    assertSound();
  }

  @Test
  void shouldRefuseSuffixesWithinSuffixesAndIndexesNamedTwice() throws Exception {
    Dn outer = DnParser.parse(SCHEMA, "dc=example,dc=com");
    Dn inner = DnParser.parse(SCHEMA, "ou=people,dc=example,dc=com");
    ImportSettings settings = settings();
    assertThat(settings.with(draft -> draft.suffixes = List.of(outer, outer)).suffixes())
        .containsExactly(outer);
    assertThatThrownBy(() -> settings.with(draft -> draft.suffixes = List.of(inner, outer)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is within the suffix");
    List<IndexDefinition> twice =
        List.of(
            IndexDefinition.parse(SCHEMA, "cn", "eq"),
            IndexDefinition.parse(SCHEMA, "commonName", "sub"));
    assertThatThrownBy(() -> settings.with(draft -> draft.indexes = twice))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cn has two index definitions");
  }

  @Test
  void shouldTakeSeveralFilesAndSuffixes() throws Exception {
    Dn first = DnParser.parse(SCHEMA, "dc=example,dc=com");
    Dn second = DnParser.parse(SCHEMA, "o=Other");
    String other = "dn: o=other\nobjectClass: organization\no: Other\n\n";
    ImportResult result =
        load(
            settings().with(draft -> draft.suffixes = List.of(first, second)),
            TOP + person("a", ""),
            other + "dn: ou=x,o=other\nobjectClass: organizationalUnit\n\nbad\n");
    assertThat(result.suffixes()).containsExactly("dc=example,dc=com", "o=Other");
    assertThat(result.entriesImported()).isEqualTo(4);
    assertThat(result.firstRejections().getFirst()).matches("line 8 of .*ldif: expected .*");
    assertThat(Exported.ldif(data))
        .contains("dn: ou=x,o=other\nobjectClass: organizationalUnit\nou: x\n");
    assertSound();
  }

  @Test
  void shouldImportEveryTopOfTheWholeTreeAndKeepASuffixThatNothingFills() throws Exception {
    String top = "dn: dc=com\nobjectClass: domain\ndc: com\n\n";
    String other = "dn: o=other\nobjectClass: organization\no: Other\n\n";
    String orphan = "dn: ou=x,o=none\nobjectClass: organizationalUnit\n\n";
    ImportResult result =
        load(
            settings().with(draft -> draft.suffixes = List.of(Dn.EMPTY)),
            top + "dn: dc=example,dc=com\nobjectClass: domain\n\n" + other + orphan);
    assertThat(result.suffixes()).containsExactly("");
    assertThat(result.entriesImported()).isEqualTo(3);
    assertThat(result.firstRejections().getFirst())
        .contains("the parent entry does not exist: 'o=none' is missing or was rejected, above")
        .endsWith("'ou=x,o=none'; no entry above it exists");
    assertThat(Exported.ldif(data))
        .contains("dn: dc=com\n", "dn: dc=example,dc=com\n", "dn: o=other\n");
    assertSound();
    List<Dn> suffixes = List.of(DnParser.parse(SCHEMA, "o=other"), DnParser.parse(SCHEMA, "o=n"));
    load(
        settings().with(draft -> draft.suffixes = suffixes).with(draft -> draft.replace = true),
        other);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, LmdbSettings.DEFAULT)) {
      assertThat(backend.namingContexts()).isEqualTo(suffixes);
    }
    assertSound();
  }

  @Test
  void shouldImportEqualDirectoriesFromAnExportWhateverMemoryAndThreads() throws IOException {
    long seed = Seeds.seed();
    load(settings(), randomDirectory(new Random(seed), 3000));
    String exported = Exported.ldif(data);
    assertSound();
    for (long memory : new long[] {1 << 16, 1 << 20, 1 << 26}) {
      for (int threads : new int[] {1, 3}) {
        ImportSettings settings =
            settings()
                .with(draft -> draft.replace = true)
                .with(draft -> draft.memoryBytes = memory)
                .with(draft -> draft.threads = threads)
                .with(draft -> draft.limits = new LdifLimits(1 << 20, 0, 1000));
        assertThat(load(settings, exported).entriesRejected()).isZero();
        assertThat(Exported.ldif(data)).as("seed %d memory %d", seed, memory).isEqualTo(exported);
        assertSound();
      }
    }
  }

  @Test
  void shouldRefuseTheOptionsThatAnAddRefuses() throws IOException {
    String ldif =
        TOP
            + person("ok", "description;lang-en: x\n")
            + person("tag", "description;x-hidden: x\n")
            + person("range", "description;lang-: x\n")
            + person("binary", "description;binary: x\n")
            + person("text", "userCertificate:: MAA=\n");
    assertThat(load(settings(), ldif).firstRejections())
        .containsExactly(
            "line 20: 'description;x-hidden' has the unknown option 'x-hidden'",
            "line 27: 'description;lang-' has the unknown option 'lang-'",
            "line 34: description does not take the option binary",
            "line 41: userCertificate needs the option binary");
    assertSound();
  }

  @Test
  void shouldTakeTheNamesThatAnAddTakes() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    String dn = "dc=example,dc=com";
    for (int rdns = 3; rdns <= 129; rdns++) {
      dn = "ou=u," + dn;
      ldif.append("dn: ").append(dn).append("\nobjectClass: organizationalUnit\n\n");
    }
    String quoted =
        "dn: cn=\"" + "+".repeat(8000) + "\",dc=example,dc=com\nobjectClass: device\n\n";
    String bytes =
        "dn: userPassword = \\ff\\fe,dc=example,dc=com\nobjectClass: person\nsn: x\ncn: x\n\n";
    ImportResult result = load(settings(), ldif + quoted + bytes);
    assertThat(result.firstRejections()).hasSize(2);
    assertThat(result.firstRejections().getFirst()).contains("more than 128 RDNs");
    assertThat(result.firstRejections().getLast()).contains("name of 160", "as RFC 4514 writes it");
    assertThat(Exported.names(data)).contains("dn: userPassword=\\ff\\fe,dc=example,dc=com");
    assertSound();
  }

  @Test
  void shouldRefuseTheEntriesThatAnAddRefusesForTheirSize() throws IOException {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      members.append("member: cn=member").append(i).append(",dc=example,dc=com\n");
    }
    String group = "objectClass: groupOfNames\n" + members + "\n";
    EntryBounds bounds = bounds(2000, 10_000);
    ImportResult result =
        load(
            settings().with(draft -> draft.bounds = bounds),
            TOP
                + person("large", "description: " + "x".repeat(2000) + "\n")
                + "dn: cn=group,dc=example,dc=com\n"
                + group);
    assertThat(result.entriesImported()).isEqualTo(2);
    assertThat(result.firstRejections().getFirst()).contains("(limits.entryRecordBytes");
    data = directory.resolve("smaller");
    EntryBounds lower = bounds(2000, 4000);
    result =
        load(
            settings().with(draft -> draft.bounds = lower),
            TOP + "dn: cn=g,dc=example,dc=com\n" + group);
    assertThat(result.firstRejections().getFirst()).contains("(limits.entryBytes)");
  }

  static EntryBounds bounds(int recordBytes, int bytes) {
    return new EntryBounds(
        8192,
        128,
        1_000_000,
        new ServerLimits.EntrySizes(recordBytes, bytes),
        recordBytes,
        HashBounds.DEFAULT);
  }

  @Test
  void shouldImportOneEntryOfAnEntryUuid() throws IOException {
    String uuid = "entryUUID: 2c1f8a52-7c0e-1040-8d3f-3b0a5f9e1a0";
    ImportResult result =
        load(
            settings(),
            TOP
                + person("a", uuid + "a\n")
                + person("b", uuid + "b\n")
                + person("c", uuid + "A\n")
                + person("d", uuid + "d\n"));
    assertThat(result.entriesImported()).isEqualTo(4);
    assertThat(result.firstRejections())
        .singleElement()
        .asString()
        .contains("an entry of this entryUUID exists already");
    assertSound();
  }

  @Test
  void shouldVerifyThatValuesMayStandTogether() throws IOException {
    load(settings(), TOP + person("a", "mail: a@b\n") + person("b", ""));
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      byte[] uuid = bytes("2c1f8a52-7c0e-1040-8d3f-3b0a5f9e1a0a");
      replace(write, "uid=a,dc=example,dc=com", "entryUUID", uuid);
      replace(write, "uid=b,dc=example,dc=com", "entryUUID", uuid);
      replace(write, "dc=example,dc=com", "o", bytes("Same"), bytes("same"));
      write.commit();
    }
    assertThat(StoreVerifier.verifyValues(data, SCHEMA, 20, EntryProgress.NONE).problems())
        .containsExactlyInAnyOrder(
            "entry 1: o has two equal values", "entry 3: has the entryUUID of entry 2");
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
        WriteTransaction write = backend.beginWrite()) {
      replace(write, "dc=example,dc=com", "o", bytes("Same"));
      replace(write, "uid=a,dc=example,dc=com", "uid", bytes("other"));
      replace(
          write,
          "uid=b,dc=example,dc=com",
          "entryUUID",
          bytes("2c1f8a52-7c0e-1040-8d3f-3b0a5f9e1a0b"));
      replace(
          write,
          "dc=example,dc=com",
          "entryCSN",
          bytes("20990231000000.000000Z#000000#000#000000"));
      write.commit();
    }
    assertThat(StoreVerifier.verifyValues(data, SCHEMA, 20, EntryProgress.NONE).problems())
        .containsExactlyInAnyOrder(
            "entry 1: its entryCSN cannot be read, or has a time that does not exist",
            "entry 2: lacks the value of uid that its RDN has");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void replace(
      WriteTransaction write, String name, String attribute, byte[]... values) {
    Dn dn = TestStore.dn(name);
    AttributeDescription description = AttributeDescription.parse(SCHEMA, attribute);
    write.apply(
        new ResolvedChange.Modify(
            dn,
            write.find(dn),
            List.of(new AttributeChange.Replaced(description, List.of(values)))));
  }
}
