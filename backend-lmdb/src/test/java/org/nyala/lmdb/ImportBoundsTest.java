package org.nyala.lmdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.password.HashBounds;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.ldif.EntryBounds;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;

/** Imports of entries at the bounds of a server: accepted, rejected, reported. */
class ImportBoundsTest extends ImportTestCase {
  private static ServerLimits limits(int recordBytes) {
    ServerLimits.UpdateLimits d = ServerLimits.UpdateLimits.DEFAULT;
    return TestLimits.with(
        ServerLimits.DEFAULT,
        new ServerLimits.UpdateLimits(
            d.writeQueue(),
            d.writeBatch(),
            d.treeDeleteEntries(),
            d.valuesPerAttribute(),
            d.attributeOptions(),
            d.ruleLookups(),
            new ServerLimits.EntrySizes(recordBytes, 1 << 30)));
  }

  @Test
  void shouldTakeTheEntriesThatAreTooLargeForTheHeapAlone() throws IOException {
    // As many bytes as a heap of a megabyte takes, and more; what a server stored with another one.
    EntryBounds bounds = EntryBounds.of(limits(70_000), HashBounds.DEFAULT, 1 << 20);
    ImportResult result =
        load(
            settings().with(draft -> draft.bounds = bounds),
            TOP
                + person("a", "description: " + "x".repeat(60_000) + "\n")
                + person("b", "description: " + "x".repeat(66_000) + "\n")
                + person("c", "description: " + "x".repeat(67_000) + "\n")
                    .replaceFirst(",dc", ",uid=b,dc")
                + person("d", "description: " + "x".repeat(71_000) + "\n"));
    assertThat(result.entriesImported()).isEqualTo(4);
    assertThat(result.firstRejections())
        .singleElement()
        .asString()
        .startsWith("line 29: an entry of 71")
        .contains("at most 70000", "(limits.entryRecordBytes)");
    assertThat(result.warnings())
        .singleElement()
        .asString()
        .startsWith("2 entries are more than a sixteenth of this heap")
        .contains("less than 2 MiB", "the first, line 15 of ", ".ldif, 66");
    assertSound();
  }

  @Test
  void shouldWarnOnlyOfWhatIsStoredInTheEnd() throws IOException {
    EntryBounds bounds = EntryBounds.of(limits(70_000), HashBounds.DEFAULT, 1 << 20);
    String costly =
        "userPassword: {CRYPT}$6$rounds=1000001$salt$x\ndescription: " + "x".repeat(66_000) + "\n";
    String late = person("late", costly).replaceFirst(",dc", ",uid=parent,dc");
    String orphan = person("orphan", costly).replaceFirst(",dc", ",uid=none,dc");
    ImportResult result =
        load(
            settings().with(draft -> draft.bounds = bounds),
            TOP + orphan + late + person("parent", "") + person("parent", costly));
    assertThat(result.entriesImported()).isEqualTo(3);
    assertThat(result.warnings())
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).startsWith("1 password ").contains(", line 21 of"))
        .anySatisfy(line -> assertThat(line).startsWith("1 entry is").contains(", line 16 of"));
    assertSound();
  }

  @Test
  void shouldWarnOfPasswordsThatTakeTooMuchWorkToBeChecked() throws IOException {
    String fine = "userPassword: {CRYPT}$6$rounds=1000000$salt$" + "x".repeat(86) + "\n";
    String costly = "userPassword: {CRYPT}$6$rounds=1000001$salt$x\n";
    String bcrypt =
        "userPassword:: "
            + Base64.getEncoder()
                .encodeToString("{BCRYPT}$2b$15$saltsaltsaltsaltsaltsu".getBytes(UTF_8))
            + "\n";
    ImportResult result =
        load(
            settings().with(draft -> draft.threads = 2),
            TOP + person("a", fine),
            person("b", fine + costly) + person("c", bcrypt) + person("d", ""));
    assertThat(result.entriesImported()).isEqualTo(5);
    assertThat(result.warnings())
        .singleElement()
        .asString()
        .startsWith("2 passwords cannot be used")
        .contains("the first, line 7 of ", ".ldif, requires more than 1000000 rounds")
        .contains("password.maximumCryptRounds");
    data = directory.resolve("other");
    assertThat(load(settings(), TOP + person("a", fine)).warnings()).isEmpty();
  }

  @Test
  void shouldNameTheSchemesThatNoLoginCanCheck() throws IOException {
    String sasl = "userPassword: {SASL}ann@EXAMPLE\n";
    String late = person("late", sasl).replaceFirst(",dc", ",uid=a,dc");
    ImportResult result =
        load(
            settings(),
            TOP
                + late
                + person("a", sasl + "userPassword: {CRYPT}$7$C6..../....x$x\n")
                + person("b", "userPassword: {SSHA}x\nuserPassword: {CRYPT}$y$j9T$a.$x\n")
                + person("c", "userPassword: {sasl}c\n")
                + person("d", "userPassword;lang-en: {sasl}d\n")
                + person("e", "userPassword: plain\nuserPassword: {TOTP1}x\n"));
    assertThat(result.entriesImported()).isEqualTo(7);
    assertThat(result.warnings())
        .hasSize(5)
        .anyMatch(
            line ->
                line.startsWith("4 passwords")
                    && line.contains(": {SASL} is not supported. First: "))
        .anyMatch(
            line -> line.contains("{CRYPT}$7$ is not supported. First: uid=a,dc=example,dc=com"))
        .anyMatch(
            line -> line.contains("{CRYPT}$y$ is not supported. First: uid=b,dc=example,dc=com"))
        .anyMatch(line -> line.contains("{SSHA} (damaged) is not supported. First: uid=b,"))
        .anyMatch(line -> line.contains("{TOTP1} is not supported. First: uid=e,"))
        .noneMatch(line -> line.contains("ann@EXAMPLE") || line.contains("C6...."));
  }

  @Test
  void shouldRejectWhatAStoreCannotName() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    int perEntry = 1000;
    int entries = 70;
    for (int i = 0; i < entries; i++) {
      StringBuilder options = new StringBuilder();
      for (int j = 0; j < perEntry; j++) {
        options.append("description;lang-").append(i * perEntry + j).append(": x\n");
      }
      ldif.append(person("p" + i, options.toString()));
    }
    ldif.append(person("last", "mail: a@b\n"));
    ImportResult result = load(settings().with(draft -> draft.threads = 1), ldif.toString());
    int most = AttributeTable.MAXIMUM_SIZE - SCHEMA.attributeTypes().size();
    int rejected = entries - most / perEntry;
    assertThat(result.entriesRejected()).isEqualTo(rejected);
    assertThat(result.entriesImported()).isEqualTo(2 + entries - rejected);
    int firstRejected = most / perEntry;
    // Seven lines of the top, then as many for each person; four stand before the options.
    int line = 7 + firstRejected * (perEntry + 6) + 5 + most % perEntry + 1;
    assertThat(result.firstRejections().getFirst())
        .startsWith("line " + line + ": with description;lang-" + most)
        .contains("more than " + most + " attribute descriptions with options");
    assertThat(Exported.names(data)).contains("dn: uid=last,dc=example,dc=com");
    assertSound();
  }

  @Test
  void shouldKeepCertificatesWithBytesBehindThem() throws Exception {
    byte[] certificate =
        ("0\u00150\u000e\u0002\u0002\u0001\u0001" + "0\0".repeat(6) + "\u0003\u0001\0")
            .getBytes(ISO_8859_1);
    byte[] longer = Arrays.copyOf(certificate, certificate.length + 5);
    System.arraycopy("\nmore".getBytes(ISO_8859_1), 0, longer, certificate.length, 5);
    String kept = certificate(longer);
    ImportSettings settings =
        settings()
            .with(
                draft ->
                    draft.indexes =
                        List.of(IndexDefinition.parse(SCHEMA, "userCertificate", "eq")));
    ImportResult result =
        load(settings, TOP + person("a", kept) + person("b", kept + certificate(certificate)));
    assertThat(result.entriesImported()).isEqualTo(2);
    assertThat(result.firstRejections())
        .singleElement()
        .asString()
        .matches(".*value 2 of userCertificate;binary, of \\d+ bytes, is given more than once");
    assertThat(Exported.ldif(data)).contains(Base64.getEncoder().encodeToString(longer));
    assertThat(found("userCertificate;binary", certificate)).isEqualTo(1);
    assertThat(found("userCertificate", "257$".getBytes(ISO_8859_1))).isEqualTo(1);
    assertThat(found("userCertificate", "258$".getBytes(ISO_8859_1))).isZero();
    assertSound();
  }

  private static String certificate(byte[] value) {
    return "userCertificate;binary:: " + Base64.getEncoder().encodeToString(value) + "\n";
  }

  /** Returns the number of entries that an equality filter finds, which the index finds as well. */
  private int found(String attribute, byte[] value) throws Exception {
    CompiledFilter filter =
        new FilterCompiler(SCHEMA, _ -> true, 10, 10)
            .compileOwn(new FilterNode.Equality(attribute, value));
    int found = 0;
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS);
        ReadTransaction read = backend.beginRead();
        EntryCursor cursor =
            read.search(
                new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false), 0)) {
      EntryView view = new EntryView();
      FilterMatcher matcher = new FilterMatcher(SCHEMA, _ -> true);
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        assertThat(matcher.match(filter, view, read.attributes(), read::hasSubordinates))
            .isEqualTo(Ternary.TRUE);
        found++;
      }
      assertThat(cursor.examined()).isLessThan(2);
    }
    return found;
  }
}
