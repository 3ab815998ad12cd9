package org.nyala.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.backend.RandomFilters;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ReferenceFilter;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.AttributeOptions;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaAdditions;
import org.nyala.core.schema.load.SchemaLoader;

final class FilterTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final AttributeSelection.Visibility VISIBLE = type -> !type.isSecret();

  private final FilterCompiler compiler = new FilterCompiler(SCHEMA, VISIBLE, 8, 100);

  @Test
  void shouldMatchLikeBruteForce() throws FilterLimitException {
    long seed = Long.getLong("test.seed", 7L);
    int matches = 0;
    for (long round = seed; round < seed + 15; round++) {
      List<Entry> entries = new RandomDirectory(SCHEMA, round).withSpecialEntries().entries(60);
      matches += compare(entries, new RandomFilters(entries, round), round);
    }
    assertThat(matches).isGreaterThan(500);
  }

  private int compare(List<Entry> entries, RandomFilters filters, long seed)
      throws FilterLimitException {
    ReferenceFilter reference = new ReferenceFilter(SCHEMA, VISIBLE, entries);
    FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
    EntryView view = new EntryView();
    int matches = 0;
    try (InMemoryBackend backend = new InMemoryBackend(SCHEMA, entries);
        ReadTransaction read = backend.beginRead()) {
      for (int i = 0; i < 100; i++) {
        FilterNode filter = filters.next(4);
        CompiledFilter compiled = compiler.compileOwn(filter);
        for (Entry entry : entries) {
          boolean expected = reference.value(filter, entry) == Ternary.TRUE;
          read.read(read.find(entry.dn()), view);
          Ternary value = matcher.match(compiled, view, read.attributes(), read::hasSubordinates);
          assertThat(value == Ternary.TRUE)
              .as(
                  "test.seed=%d, filter %d: %s as %s for %s",
                  seed, i, show(filter), compiled, entry.dn())
              .isEqualTo(expected);
          matches += expected ? 1 : 0;
        }
      }
    }
    return matches;
  }

  private static String show(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And and -> "(&" + and.nodes().stream().map(FilterTest::show).toList() + ")";
      case FilterNode.Or or -> "(|" + or.nodes().stream().map(FilterTest::show).toList() + ")";
      case FilterNode.Not not -> "(!" + show(not.node()) + ")";
      case FilterNode.Equality item -> "(" + item.attribute() + "=" + text(item.value()) + ")";
      case FilterNode.Extensible item ->
          "("
              + item.attribute()
              + (item.dnAttributes() ? ":dn:" : ":")
              + item.rule()
              + ":="
              + text(item.value())
              + ")";
      case FilterNode.Substrings item ->
          "("
              + item.attribute()
              + "="
              + text(item.initial())
              + item.any().stream().map(FilterTest::text).toList()
              + text(item.last())
              + ")";
      default -> filter.toString();
    };
  }

  private static String text(byte[] value) {
    return value == null ? "" : new String(value, StandardCharsets.UTF_8);
  }

  @Test
  void shouldNotKnowUnknownAndHiddenAttributes() throws FilterLimitException {
    assertThat(compiler.compileOwn(equality("noSuchAttribute", "x")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(equality("userPassword", "x")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(new FilterNode.Present("userPassword;x-old")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(new FilterNode.Not(equality("noSuchAttribute", "x"))))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  @Test
  void shouldFindEntriesByTheSuperclassesOfTheirClasses() throws Exception {
    AttributeDescription objectClass = AttributeDescription.of(SCHEMA.attributeType("objectClass"));
    Entry ada = new Entry(DnParser.parse(SCHEMA, "uid=ada"));
    ada.add(objectClass, "inetOrgPerson".getBytes(StandardCharsets.UTF_8));
    assertThat(objectClassIs("person", ada)).isEqualTo(Ternary.TRUE);
    assertThat(objectClassIs("2.5.6.6", ada)).isEqualTo(Ternary.TRUE);
    assertThat(objectClassIs("top", ada)).isEqualTo(Ternary.TRUE);
    assertThat(objectClassIs("inetorgPERSON", ada)).isEqualTo(Ternary.TRUE);
    assertThat(objectClassIs("device", ada)).isEqualTo(Ternary.FALSE);
    assertThat(compiler.compileOwn(equality("objectClass", "noSuchClass")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  private Ternary objectClassIs(String name, Entry entry) throws FilterLimitException {
    try (InMemoryBackend backend = new InMemoryBackend(SCHEMA, List.of(entry));
        ReadTransaction read = backend.beginRead()) {
      EntryView view = new EntryView();
      read.read(read.find(entry.dn()), view);
      return new FilterMatcher(SCHEMA, VISIBLE)
          .match(
              compiler.compileOwn(equality("objectClass", name)),
              view,
              read.attributes(),
              read::hasSubordinates);
    }
  }

  @Test
  void shouldHideWhatDescendsFromPasswords() throws FilterLimitException {
    Schema extended =
        SchemaAdditions.extend(
            SCHEMA, List.of("( 1.2.3.1 NAME 'oldPassword' SUP userPassword )"), List.of());
    assertThat(
            new FilterCompiler(extended, VISIBLE, 8, 100)
                .compileOwn(new FilterNode.Present("oldPassword")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    AttributeSelection selection =
        AttributeSelection.of(extended, List.of("*", "oldPassword"), false, VISIBLE);
    assertThat(selection.selects(AttributeDescription.parse(extended, "oldPassword;x-a")))
        .isFalse();
  }

  @Test
  void shouldNotTakeAnotherRuleOfAComputedAttributeForEquality() throws FilterLimitException {
    byte[] name = bytes("dc=example,dc=com");
    assertThat(
            compiler.compileOwn(
                new FilterNode.Extensible("distinguishedNameMatch", "entryDN", name, false)))
        .isInstanceOf(CompiledFilter.EntryDnItem.class);
    assertThat(
            compiler.compileOwn(
                new FilterNode.Extensible("dnSubtreeMatch", "entryDN", name, false)))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  @Test
  void shouldNotKnowWhatRulesCannotCompare() throws FilterLimitException {
    assertThat(compiler.compileOwn(equality("uidNumber", "twelve")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(new FilterNode.GreaterOrEqual("manager", bytes("dc=example"))))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(
            compiler.compileOwn(new FilterNode.Extensible("noSuchMatch", "cn", bytes("x"), false)))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(new FilterNode.Extensible(null, null, bytes("x"), true)))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cn;x-foo", "cn;lang-en;x-foo", "cn;foo-", "cn;binary"})
  void shouldNotRecognizeDescriptionsWithUnknownOptions(String attribute)
      throws FilterLimitException {
    for (FilterNode item : List.of(equality(attribute, "a"), new FilterNode.Present(attribute))) {
      assertThat(compiler.compileOwn(item)).isSameAs(CompiledFilter.Constant.UNDEFINED);
      assertThat(compiler.compileOwn(new FilterNode.Not(item)))
          .isSameAs(CompiledFilter.Constant.UNDEFINED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cn;lang-en", "cn;LANG-en-", "cn;lang-", "userCertificate;binary"})
  void shouldRecognizeKnownOptions(String attribute) throws FilterLimitException {
    assertThat(compiler.compileOwn(new FilterNode.Present(attribute)))
        .isInstanceOf(CompiledFilter.Presence.class);
  }

  @Test
  void shouldRecognizeTheOptionsThatTheConfigurationNames() throws FilterLimitException {
    Schema schema = SCHEMA.withAttributeOptions(AttributeOptions.of(List.of("x-foo")));
    FilterCompiler other = new FilterCompiler(schema, VISIBLE, 8, 100);
    assertThat(other.compileOwn(new FilterNode.Present("cn;x-foo")))
        .isInstanceOf(CompiledFilter.Presence.class);
    assertThat(other.compileOwn(new FilterNode.Present("cn;lang-en")))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  @ParameterizedTest
  @CsvSource({
    "telephoneNumber, ''",
    "telephoneNumber, a_b",
    "cn, ''",
    "x121Address, ''",
    "c, xyz",
    "c, ''",
    "objectClass, ''"
  })
  void shouldNotKnowValuesOutsideTheSyntaxOfTheAssertion(String attribute, String value)
      throws FilterLimitException {
    FilterNode item = equality(attribute, value);
    assertThat(compiler.compileOwn(item)).isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(new FilterNode.Not(item)))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  @ParameterizedTest
  @CsvSource({"telephoneNumber, ' '", "mail, ''", "postalAddress, ''", "uid, '\\1'", "c, no"})
  void shouldKnowValuesOfTheSyntaxThoughTheyMatchNothing(String attribute, String value)
      throws FilterLimitException {
    assertThat(compiler.compileOwn(equality(attribute, value)))
        .isInstanceOf(CompiledFilter.ValueItem.class);
  }

  @Test
  void shouldNotKnowPiecesOutsideTheSyntaxOfTheAssertion() throws FilterLimitException {
    byte[] piece = {'_'};
    FilterNode item = new FilterNode.Substrings("telephoneNumber", null, List.of(piece), null);
    assertThat(compiler.compileOwn(item)).isSameAs(CompiledFilter.Constant.UNDEFINED);
  }

  @Test
  void shouldRefuseAssertionsThatAreTooLong() throws FilterLimitException {
    FilterCompiler narrow = new FilterCompiler(SCHEMA, VISIBLE, 8, 100, 10, null);
    byte[] five = "12345".getBytes(StandardCharsets.UTF_8);
    FilterNode fits = new FilterNode.Substrings("cn", five, List.of(), five);
    assertThat(narrow.compileOwn(fits)).isInstanceOf(CompiledFilter.SubstringsItem.class);
    assertThat(narrow.compileOwn(equality("cn", "1234567890"))).isNotNull();
    assertThatThrownBy(() -> narrow.compileOwn(equality("cn", "12345678901")))
        .isInstanceOf(FilterLimitException.class);
    FilterNode pieces = new FilterNode.Substrings("cn", five, List.of(new byte[] {'6'}), five);
    assertThatThrownBy(() -> narrow.compileOwn(new FilterNode.Not(pieces)))
        .isInstanceOf(FilterLimitException.class);
  }

  @Test
  void shouldFoldConstants() throws FilterLimitException {
    FilterNode any = new FilterNode.Present("objectClass");
    FilterNode unknown = equality("noSuchAttribute", "x");
    FilterNode known = equality("uid", "x");
    CompiledFilter alone = compiler.compileOwn(known);
    assertThat(compiler.compileOwn(any)).isSameAs(CompiledFilter.Constant.TRUE);
    assertThat(compiler.compileOwn(new FilterNode.And(List.of())))
        .isSameAs(CompiledFilter.Constant.TRUE);
    assertThat(compiler.compileOwn(new FilterNode.Or(List.of())))
        .isSameAs(CompiledFilter.Constant.FALSE);
    assertThat(compiler.compileOwn(new FilterNode.And(List.of(any, known))))
        .isInstanceOf(alone.getClass());
    assertThat(compiler.compileOwn(new FilterNode.Or(List.of(unknown, known))))
        .isInstanceOf(alone.getClass());
    assertThat(compiler.compileOwn(new FilterNode.Or(List.of(known, any))))
        .isSameAs(CompiledFilter.Constant.TRUE);
    assertThat(compiler.compileOwn(new FilterNode.And(List.of(known, unknown))))
        .isSameAs(CompiledFilter.Constant.UNDEFINED);
    assertThat(compiler.compileOwn(new FilterNode.Not(new FilterNode.Not(known))))
        .isInstanceOf(alone.getClass());
  }

  @Test
  void shouldFlattenWhatJoinsAlike() throws FilterLimitException {
    FilterNode one = equality("uid", "1");
    FilterNode two = equality("uid", "2");
    FilterNode three = equality("uid", "3");
    CompiledFilter flat =
        compiler.compileOwn(
            new FilterNode.And(List.of(new FilterNode.And(List.of(one, two)), three)));
    assertThat(((CompiledFilter.And) flat).nodes()).hasSize(3);
    CompiledFilter mixed =
        compiler.compileOwn(
            new FilterNode.And(List.of(new FilterNode.Or(List.of(one, two)), three)));
    assertThat(((CompiledFilter.And) mixed).nodes()).hasSize(2);
  }

  @Test
  void shouldAcceptTheDeepestFilterAndRefuseADeeperOne() throws FilterLimitException {
    FilterNode deepest = nested(8);
    assertThat(compiler.compileOwn(deepest)).isInstanceOf(CompiledFilter.Not.class);
    FilterNode deeper = nested(9);
    assertThatThrownBy(() -> compiler.compileOwn(deeper)).isInstanceOf(FilterLimitException.class);
  }

  private static FilterNode nested(int depth) {
    FilterNode node = equality("uid", "x");
    for (int i = 1; i < depth; i++) {
      node = new FilterNode.Not(node);
    }
    return node;
  }

  @Test
  void shouldAcceptTheLargestFilterAndRefuseALargerOne() throws FilterLimitException {
    FilterNode item = equality("uid", "x");
    FilterNode largest = new FilterNode.Or(Collections.nCopies(99, item));
    assertThat(compiler.compileOwn(largest)).isInstanceOf(CompiledFilter.Or.class);
    FilterNode larger = new FilterNode.Or(Collections.nCopies(100, item));
    assertThatThrownBy(() -> compiler.compileOwn(larger)).isInstanceOf(FilterLimitException.class);
    FilterNode pieces =
        new FilterNode.Substrings("cn", null, Collections.nCopies(100, bytes("x")), null);
    assertThatThrownBy(() -> compiler.compileOwn(pieces)).isInstanceOf(FilterLimitException.class);
  }

  @Test
  void shouldKeepThreeValuesWhereAFilterHoldsThem() {
    FilterMatcher matcher = new FilterMatcher(SCHEMA, VISIBLE);
    List<Entry> entries = new RandomDirectory(SCHEMA, 1).entries(1);
    EntryView view = new EntryView();
    try (InMemoryBackend backend = new InMemoryBackend(SCHEMA, entries);
        ReadTransaction read = backend.beginRead()) {
      read.read(1, view);
      CompiledFilter unknown = CompiledFilter.Constant.UNDEFINED;
      CompiledFilter yes = CompiledFilter.Constant.TRUE;
      CompiledFilter no = CompiledFilter.Constant.FALSE;
      assertThat(
              List.of(
                  new CompiledFilter.And(List.of(unknown, yes)),
                  new CompiledFilter.And(List.of(unknown, no)),
                  new CompiledFilter.Or(List.of(unknown, yes)),
                  new CompiledFilter.Or(List.of(unknown, no)),
                  new CompiledFilter.Not(unknown)))
          .extracting(filter -> matcher.match(filter, view, read.attributes(), _ -> false))
          .containsExactly(
              Ternary.UNDEFINED, Ternary.FALSE, Ternary.TRUE, Ternary.UNDEFINED, Ternary.UNDEFINED);
    }
  }

  private static FilterNode equality(String attribute, String value) {
    return new FilterNode.Equality(attribute, bytes(value));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
