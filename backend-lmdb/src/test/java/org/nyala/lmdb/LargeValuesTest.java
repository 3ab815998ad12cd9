package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.lmdb.TestStore.SCHEMA;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Cursor;
import org.lmdbjava.Txn;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

final class LargeValuesTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-03-04T05:06:07.000008Z"));
  private static final String TOP =
      """
      dn: dc=example,dc=com
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

  private static LmdbSettings lmdb() {
    return LmdbSettings.DEFAULT.withMapSizeBytes(1L << 30);
  }

  private void load(String ldif) throws IOException {
    Path file = directory.resolve("in.ldif");
    Files.writeString(file, ldif);
    ImportSettings settings = ImportSettings.defaults(SCHEMA).with(draft -> draft.lmdb = lmdb());
    new LdifImport(
            ExtendedSchema.of(SCHEMA), settings, ImportProgress.SILENT, CLOCK, System::nanoTime)
        .run(List.of(ImportSource.file(file)), data);
  }

  private static String member(int number) {
    return "uid=u" + number + ",ou=People,dc=example,dc=com";
  }

  private static String group(String name, List<Integer> members) {
    StringBuilder ldif = new StringBuilder("dn: cn=" + name + ",dc=example,dc=com\n");
    ldif.append("objectClass: groupOfNames\ncn: ").append(name).append('\n');
    for (int each : members) {
      ldif.append("member: ").append(member(each)).append('\n');
    }
    return ldif.append("description: after\n\n").toString();
  }

  private static List<Integer> numbers(int count, Random random) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(i * 2);
    }
    Collections.shuffle(numbers, random);
    return numbers;
  }

  private static CompiledFilter filter(FilterNode node) {
    try {
      return new FilterCompiler(SCHEMA, _ -> true, 10, 100).compileOwn(node);
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static CompiledFilter equality(String attribute, String value) {
    return filter(new FilterNode.Equality(attribute, value.getBytes(StandardCharsets.UTF_8)));
  }

  private static long find(ReadTransaction read, String name) {
    return read.find(TestStore.dn("cn=" + name + ",dc=example,dc=com"));
  }

  private static int indexOf(ReadTransaction read, EntryView view, String attribute) {
    int id = read.attributes().id(AttributeDescription.parse(SCHEMA, attribute));
    for (int i = 0; i < view.attributeCount(); i++) {
      if (view.attributeId(i) == id) {
        return i;
      }
    }
    throw new AssertionError("no " + attribute);
  }

  private static Set<String> values(ReadTransaction read, EntryView view, String attribute) {
    Set<String> values = new HashSet<>();
    ValueCursor cursor = new ValueCursor().open(view, indexOf(read, view, attribute));
    while (cursor.next()) {
      assertThat(values.add(new String(cursor.value(), StandardCharsets.UTF_8))).isTrue();
    }
    return values;
  }

  private static Set<String> members(List<Integer> numbers) {
    Set<String> members = new HashSet<>();
    numbers.forEach(number -> members.add(member(number)));
    return members;
  }

  private void assertSound() {
    assertThat(Verification.verify(data, SCHEMA, 20).problems()).isEmpty();
  }

  @Test
  void shouldKeepManyValuesApartAndShowThemAllTheSame() throws IOException {
    Random random = new Random(42);
    StringBuilder ldif = new StringBuilder(TOP);
    List<Integer> sizes = List.of(1, 99, 100, 101, 102, 5000);
    for (int size : sizes) {
      ldif.append(group("g" + size, numbers(size, random)));
    }
    load(ldif.toString());
    assertSound();
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, lmdb());
        ReadTransaction read = backend.beginRead()) {
      EntryView view = new EntryView();
      for (int size : sizes) {
        assertThat(read.read(find(read, "g" + size), view)).isTrue();
        assertThat((view.flags() & EntryRecord.LARGE) != 0).isEqualTo(size > 100);
        assertThat(values(read, view, "member")).isEqualTo(members(numbers(size, random)));
        assertThat(values(read, view, "description")).containsExactly("after");
        LargeValues large = view.largeValues(indexOf(read, view, "member"));
        assertThat(large == null ? 0 : large.count()).isEqualTo(size > 100 ? size : 0);
        assertThat(view.largeValues(indexOf(read, view, "cn"))).isNull();
      }
    }
  }

  @Test
  void shouldTestManyValuesInSlicesWithATransactionEach() throws IOException {
    load(TOP + group("large", numbers(3000, new Random(42))));
    FilterNode last = new FilterNode.Extensible("2.5.13.1", null, bytes(member(5998)), false);
    FilterNode none = new FilterNode.Extensible("2.5.13.1", null, bytes(member(5999)), false);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, lmdb())) {
      assertThat(inSlices(backend, filter(last))).isEqualTo(Ternary.TRUE);
      assertThat(inSlices(backend, filter(none))).isEqualTo(Ternary.FALSE);
      FilterNode both = new FilterNode.And(List.of(last, new FilterNode.Not(none)));
      assertThat(inSlices(backend, filter(both))).isEqualTo(Ternary.TRUE);
      assertThat(inSlices(backend, equality("member", member(4)))).isEqualTo(Ternary.TRUE);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Ternary inSlices(LmdbBackend backend, CompiledFilter filter) {
    EntryMatch test = new EntryMatch(filter);
    EntryView view = new EntryView();
    Ternary value = null;
    int slices = 0;
    while (value == null) {
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.read(find(read, "large"), view)).isTrue();
        FilterMatcher matcher = new FilterMatcher(SCHEMA, _ -> true);
        value = matcher.match(test, view, read.attributes(), read::hasSubordinates, () -> false);
      }
      slices++;
      assertThat(slices).isLessThan(10_000);
    }
    return value;
  }

  @Test
  void shouldFindGroupsByMemberThroughTheIndexAndByLookingAtThem() throws IOException {
    Random random = new Random(42);
    load(TOP + group("small", numbers(50, random)) + group("large", numbers(2000, random)));
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, lmdb());
        ReadTransaction read = backend.beginRead()) {
      for (int i = 0; i < 300; i++) {
        int number = random.nextInt(i % 2 == 0 ? 120 : 4100);
        Set<String> expected = new HashSet<>();
        if (number % 2 == 0 && number < 100) {
          expected.add("small");
        }
        if (number % 2 == 0 && number < 4000) {
          expected.add("large");
        }
        String value = member(number).toUpperCase(Locale.ROOT);
        assertThat(found(read, equality("member", value), true)).isEqualTo(expected);
        assertThat(found(read, equality("member", value), false)).isEqualTo(expected);
      }
    }
  }

  /**
   * Returns the cn values of the entries that a filter finds, by an index if there is one or by
   * testing everything.
   */
  private static Set<String> found(ReadTransaction read, CompiledFilter filter, boolean indexed) {
    FilterMatcher matcher = new FilterMatcher(SCHEMA, _ -> true);
    CompiledFilter search = indexed ? filter : CompiledFilter.Constant.TRUE;
    long base = read.find(TestStore.dn("dc=example,dc=com"));
    Set<String> names = new HashSet<>();
    EntryView view = new EntryView();
    try (EntryCursor cursor =
        read.search(new SearchSpec(base, Scope.SUBORDINATE, search, false, false), 0)) {
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        Ternary value = matcher.match(filter, view, read.attributes(), read::hasSubordinates);
        assertThat(!cursor.isExact() || !indexed || value == Ternary.TRUE).isTrue();
        if (value == Ternary.TRUE) {
          names.addAll(values(read, view, "cn"));
        }
      }
    }
    return names;
  }

  @Test
  void shouldAnswerAllKindsOfTestsOnValuesApart() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    ldif.append("dn: cn=p,dc=example,dc=com\nobjectClass: posixGroup\ncn: p\ngidNumber: 5\n");
    for (int i = 0; i < 400; i++) {
      ldif.append("memberUid: user").append(i).append('\n');
    }
    load(ldif.append('\n').toString());
    assertSound();
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, lmdb());
        ReadTransaction read = backend.beginRead()) {
      assertThat(found(read, equality("memberUid", "user399"), false)).containsExactly("p");
      assertThat(found(read, equality("memberUid", "user400"), false)).isEmpty();
      assertThat(found(read, filter(new FilterNode.Present("memberUid")), false))
          .containsExactly("p");
      for (boolean indexed : List.of(true, false)) {
        assertThat(found(read, substring("ser39"), indexed)).containsExactly("p");
        assertThat(found(read, substring("ser9999"), indexed)).isEmpty();
      }
    }
  }

  private static CompiledFilter substring(String piece) {
    return filter(
        new FilterNode.Substrings(
            "memberUid", null, List.of(piece.getBytes(StandardCharsets.UTF_8)), null));
  }

  @Test
  void shouldExportValuesApartAndImportThemAgain() throws IOException {
    load(TOP + group("large", numbers(1500, new Random(42))) + group("small", List.of(1, 2)));
    String first = Exported.ldif(data);
    assertThat(first.lines().filter(line -> line.startsWith("member: ")).count()).isEqualTo(1502);
    Path again = directory.resolve("again");
    Path file = directory.resolve("again.ldif");
    Files.writeString(file, first, StandardCharsets.ISO_8859_1);
    ImportSettings settings = ImportSettings.defaults(SCHEMA).with(draft -> draft.lmdb = lmdb());
    new LdifImport(
            ExtendedSchema.of(SCHEMA), settings, ImportProgress.SILENT, CLOCK, System::nanoTime)
        .run(List.of(ImportSource.file(file)), again);
    assertThat(Exported.ldif(again)).isEqualTo(first);
    assertThat(Verification.verify(again, SCHEMA, 20).problems()).isEmpty();
  }

  @Test
  void shouldKeepTooLongValuesApartByHash() throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    ldif.append("dn: cn=long,dc=example,dc=com\nobjectClass: person\ncn: long\nsn: long\n");
    String tail = "x".repeat(600);
    for (int i = 0; i < 40; i++) {
      ldif.append("description: ").append(tail).append(i).append('\n');
    }
    load(ldif.append('\n').toString());
    assertSound();
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, lmdb());
        ReadTransaction read = backend.beginRead()) {
      EntryView view = new EntryView();
      assertThat(read.read(find(read, "long"), view)).isTrue();
      LargeValues large = view.largeValues(indexOf(read, view, "description"));
      assertThat(large).isNotNull();
      assertThat(contains(large, tail + 7)).isTrue();
      assertThat(contains(large, "X" + tail.substring(1) + 7)).isTrue();
      assertThat(contains(large, tail + 70)).isFalse();
      assertThat(values(read, view, "description")).hasSize(40);
    }
  }

  private static boolean contains(@Nullable LargeValues large, String value) {
    return large != null && large.contains(value.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldFindDamage() throws IOException {
    load(TOP + group("large", numbers(200, new Random(42))));
    try (LmdbEnvironment environment = LmdbEnvironment.open(data, lmdb());
        Txn<ByteBuffer> txn = environment.beginWrite()) {
      try (Cursor<ByteBuffer> cursor = environment.values().openCursor(txn)) {
        assertThat(cursor.last()).isTrue();
        cursor.delete();
      }
      txn.commit();
    }
    assertThat(Verification.verify(data, SCHEMA, 20).problems())
        .anySatisfy(
            problem -> assertThat(problem).contains("member has 199 values out of line, not 200"));
  }
}
