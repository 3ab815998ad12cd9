package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaLoader;
import org.nyala.core.search.CompiledFilter;

class LdifImportTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-03-04T05:06:07.000008Z"));

  private static final String TOP =
      """
      dn: dc=example,dc=com
      objectClass: top
      objectClass: organization
      objectClass: dcObject
      dc: example
      o: Example

      """;

  @TempDir Path directory;
  private Path data;

  @BeforeEach
  void nameData() {
    data = directory.resolve("data");
  }

  static ImportSettings settings() {
    return ImportSettings.defaults(SCHEMA)
        .withLmdb(LmdbSettings.DEFAULT.withMapSizeBytes(1L << 30));
  }

  private ImportResult load(ImportSettings settings, String... ldifs) throws IOException {
    List<ImportSource> sources = new ArrayList<>();
    for (String ldif : ldifs) {
      Path file = Files.createTempFile(directory, "in", ".ldif");
      Files.writeString(file, ldif);
      sources.add(ImportSource.file(file));
    }
    return new LdifImport(SCHEMA, settings, ImportProgress.SILENT, CLOCK, System::nanoTime)
        .run(sources, data);
  }

  static String export(Path data) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (LmdbBackend backend =
            LmdbBackend.open(
                data, SCHEMA, LmdbSettings.DEFAULT.withMapSizeBytes(1L << 30).asReadOnly());
        LdifWriter writer = new LdifWriter(bytes, LdifWriter.NO_FOLDING)) {
      new LdifExport(backend, SCHEMA, CompiledFilter.Constant.TRUE, writer, 7).run(null);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  private void assertSound() {
    assertThat(StoreVerifier.verify(data, SCHEMA, 20).problems()).isEmpty();
  }

  private static String person(String uid, String more) {
    return "dn: uid="
        + uid
        + ",dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: "
        + uid
        + "\ncn: "
        + uid
        + "\nsn: "
        + uid
        + "\n"
        + more
        + "\n";
  }

  @Test
  void shouldGenerateWhatIsAbsentAndKeepTheRest() throws IOException {
    ImportResult result = load(settings().withWriterName("cn=loader"), TOP);
    assertThat(result.entriesImported()).isEqualTo(1);
    assertThat(result.suffixes()).containsExactly("dc=example,dc=com");
    assertThat(export(data))
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

            """);
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
    assertThat(sortedLines(export(data))).isEqualTo(sortedLines(ldif.replace("{SSHA}", "")));
    assertThat(export(data)).contains("userPassword:").contains("jpegPhoto:: AAECAwQF/v8=\n");
  }

  /** Hidden passwords and operational attributes are stored in places of their own. */
  private static List<String> sortedLines(String ldif) {
    return ldif.lines()
        .map(line -> line.equals("userPassword: {SSHA}abcdefghijklmnop") ? PASSWORD : line)
        .sorted()
        .toList();
  }

  private static final String PASSWORD = "userPassword:: e1NTSEF9YWJjZGVmZ2hpamtsbW5vcA==";

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
    ImportResult result = load(settings().withRejectFile(rejects), ldif);
    assertThat(result.firstRejections())
        .satisfiesExactly(
            r -> assertThat(r).isEqualTo("line 14: an entry of this name exists already"),
            r -> assertThat(r).isEqualTo("line 20: the parent entry does not exist"),
            r -> assertThat(r).startsWith("line 26: not within the suffix"),
            r -> assertThat(r).isEqualTo("line 37: unknown attribute type \"shoeSize\""),
            r -> assertThat(r).startsWith("line 44: attribute uidNumber is not allowed"),
            r -> assertThat(r).isEqualTo("line 52: mail has the same value twice"),
            r -> assertThat(r).isEqualTo("line 60: preferredLanguage has more than one value"),
            r -> assertThat(r).startsWith("line 62: unknown object class"),
            r -> assertThat(r).startsWith("line 74: attribute uidNumber is not allowed"),
            r -> assertThat(r).startsWith("line 76: attribute sn is required"),
            r -> assertThat(r).startsWith("line 81: invalid DN"),
            r -> assertThat(r).isEqualTo("line 87: no structural object class"),
            r -> assertThat(r).isEqualTo("line 91: no object class"),
            r -> assertThat(r).startsWith("line 95: expected \"attribute: value\""),
            r -> assertThat(r).startsWith("line 97: attribute cn is required"));
    assertThat(result.entriesRead()).isEqualTo(18);
    assertThat(result.entriesImported()).isEqualTo(3);
    assertThat(result.entriesRejected()).isEqualTo(15);
    assertThat(export(data).lines().filter(line -> line.startsWith("dn:")))
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
    assertThat(export(data)).contains("cn: ann,  b\nsn: Bee\n").doesNotContain("cn: Ann");
    assertSound();
  }

  @Test
  void shouldNeedPermissionToReplace() throws IOException {
    load(settings(), TOP);
    String before = export(data);
    assertThatThrownBy(() -> load(settings(), TOP))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("--replace");
    assertThat(export(data)).isEqualTo(before);
    load(settings().withReplace(true), TOP + person("new", ""));
    assertThat(export(data)).contains("dn: uid=new");
    assertSound();
  }

  @Test
  void shouldRefuseADirectoryInUse() throws IOException {
    load(settings(), TOP);
    try (StoreLock lock = StoreLock.acquire(data)) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> load(settings().withReplace(true), TOP))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("in use");
    }
  }

  @Test
  void shouldChangeNothingWhenNothingCanBeImported() throws IOException {
    load(settings(), TOP);
    String before = export(data);
    assertThatThrownBy(() -> load(settings().withReplace(true), "# nothing\n"))
        .hasMessageContaining("no entries");
    assertThatThrownBy(() -> load(settings().withReplace(true), "dn: cn=x\ncn: x\n"))
        .hasMessageContaining("line 1: no object class");
    assertThat(export(data)).isEqualTo(before);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.filter(file -> file.toString().contains(".importing-"))).isEmpty();
    }
  }

  @Test
  void shouldNotOverwriteWhatItReadsWithWhatItRejects() throws IOException {
    Path file = directory.resolve("fixed.ldif");
    Files.writeString(file, TOP);
    Path link = Files.createSymbolicLink(directory.resolve("link.ldif"), file);
    LdifImport load =
        new LdifImport(
            SCHEMA,
            settings().withRejectFile(link),
            ImportProgress.SILENT,
            CLOCK,
            System::nanoTime);
    assertThatThrownBy(() -> load.run(List.of(ImportSource.file(file)), data))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("name another file for the rejected records");
    assertThat(file).hasContent(TOP);
  }

  @Test
  void shouldWriteRejectsToADeviceInsteadOfReplacingIt() throws IOException {
    Path device = Files.createSymbolicLink(directory.resolve("device"), Path.of("/dev/null"));
    load(settings().withRejectFile(device), TOP, person("a", "noSuchAttribute: 1\n"));
    assertThat(device).isSymbolicLink();
  }

  @Test
  void shouldKeepWhatItWritesFromOtherUsers() throws IOException {
    Path rejects = directory.resolve("rejects.ldif");
    load(settings().withRejectFile(rejects), TOP, person("a", "noSuchAttribute: 1\n"));
    for (Path file : List.of(rejects, data.resolve(LmdbEnvironment.DATA_FILE))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .as(file.toString())
          .isEqualTo("rw-------");
    }
  }

  @Test
  void shouldDeleteLeftoversButNothingBehindALink() throws IOException {
    Path precious = Files.createDirectory(directory.resolve("precious"));
    Files.writeString(precious.resolve("file"), "kept");
    Files.createSymbolicLink(directory.resolve("data.importing-1"), precious);
    Path leftover = Files.createDirectory(directory.resolve("data.importing-2"));
    Files.writeString(leftover.resolve("names.tmp"), "left");
    load(settings(), TOP);
    assertThat(precious.resolve("file")).hasContent("kept");
    assertThat(leftover).doesNotExist();
  }

  @Test
  void shouldRefuseSuffixesWithinSuffixesAndIndexesNamedTwice() throws Exception {
    Dn outer = DnParser.parse(SCHEMA, "dc=example,dc=com");
    Dn inner = DnParser.parse(SCHEMA, "ou=people,dc=example,dc=com");
    ImportSettings settings = settings();
    assertThat(settings.withSuffixes(List.of(outer, outer)).suffixes()).containsExactly(outer);
    assertThatThrownBy(() -> settings.withSuffixes(List.of(inner, outer)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is within the suffix");
    List<IndexDefinition> twice =
        List.of(
            IndexDefinition.parse(SCHEMA, "cn", "eq"),
            IndexDefinition.parse(SCHEMA, "commonName", "sub"));
    assertThatThrownBy(() -> settings.withIndexes(twice))
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
            settings().withSuffixes(List.of(first, second)),
            TOP + person("a", ""),
            other + "dn: ou=x,o=other\nobjectClass: organizationalUnit\n\nbad\n");
    assertThat(result.suffixes()).containsExactly("dc=example,dc=com", "o=Other");
    assertThat(result.entriesImported()).isEqualTo(4);
    assertThat(result.firstRejections().getFirst()).matches("line 8 of .*ldif: expected .*");
    assertThat(export(data)).contains("dn: ou=x,o=other\nobjectClass: organizationalUnit\nou: x\n");
    assertSound();
  }

  @Test
  void shouldImportEveryTopOfTheWholeTreeAndKeepASuffixThatNothingFills() throws Exception {
    String top = "dn: dc=com\nobjectClass: domain\ndc: com\n\n";
    String other = "dn: o=other\nobjectClass: organization\no: Other\n\n";
    String orphan = "dn: ou=x,o=none\nobjectClass: organizationalUnit\n\n";
    ImportResult result =
        load(
            settings().withSuffixes(List.of(Dn.EMPTY)),
            top + "dn: dc=example,dc=com\nobjectClass: domain\n\n" + other + orphan);
    assertThat(result.suffixes()).containsExactly("");
    assertThat(result.entriesImported()).isEqualTo(3);
    assertThat(result.firstRejections().getFirst()).contains("the parent entry does not exist");
    assertThat(export(data)).contains("dn: dc=com\n", "dn: dc=example,dc=com\n", "dn: o=other\n");
    assertSound();
    List<Dn> suffixes = List.of(DnParser.parse(SCHEMA, "o=other"), DnParser.parse(SCHEMA, "o=n"));
    load(settings().withSuffixes(suffixes).withReplace(true), other);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, LmdbSettings.DEFAULT)) {
      assertThat(backend.namingContexts()).isEqualTo(suffixes);
    }
    assertSound();
  }

  @Test
  void shouldImportEqualDirectoriesFromAnExportWhateverMemoryAndThreads() throws IOException {
    long seed = Seeds.seed();
    load(settings(), randomDirectory(new Random(seed), 3000));
    String exported = export(data);
    assertSound();
    for (long memory : new long[] {1 << 16, 1 << 20, 1 << 26}) {
      for (int threads : new int[] {1, 3}) {
        ImportSettings settings =
            settings()
                .withReplace(true)
                .withMemoryBytes(memory)
                .withThreads(threads)
                .withLimits(new LdifLimits(1 << 20, 0, 1000));
        assertThat(load(settings, exported).entriesRejected()).isZero();
        assertThat(export(data)).as("seed %d memory %d", seed, memory).isEqualTo(exported);
        assertSound();
      }
    }
  }

  static String randomDirectory(Random random, int entries) {
    StringBuilder ldif = new StringBuilder(TOP);
    List<String> parents = new ArrayList<>(List.of("dc=example,dc=com"));
    for (int i = 0; i < entries; i++) {
      String parent = parents.get(random.nextInt(parents.size()));
      if (random.nextInt(50) == 0) {
        String dn = "ou=Unit " + i + "," + parent;
        ldif.append("dn: ").append(dn).append("\nobjectClass: organizationalUnit\n\n");
        parents.add(dn);
        continue;
      }
      ldif.append("dn: uid=u").append(i).append(',').append(parent);
      ldif.append("\nobjectClass: inetOrgPerson\nuid: U").append(i);
      ldif.append("\ncn: ").append(words(random)).append(" x").append(i);
      ldif.append("\nsn: ").append(words(random)).append("\nmail: ").append(i).append("@x.org\n");
      if (random.nextInt(4) == 0) {
        ldif.append("cn;lang-fr: ").append(words(random)).append('\n');
      }
      if (random.nextInt(4) == 0) {
        ldif.append("description:: w6TDtsO8\nuserPassword: {SSHA}").append(i).append('\n');
      }
      ldif.append('\n');
    }
    return ldif.toString();
  }

  private static String words(Random random) {
    return Integer.toString(random.nextInt(1000), 26) + " " + random.nextInt(20);
  }
}
