package org.nyala.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;

/** Tests names of definitions in filters for {@code cn=Subschema}. */
final class IdentifierAssertionsTest {
  private static final String DEFINITIONS =
      """
      nameform ( 1.2.3.21 NAME ( 'siteForm' 'placeForm' ) OC organizationalUnit MUST ou )
      ditcontentrule ( 2.5.6.5 NAME 'siteContent' MUST description )
      """;

  private final FilterCompiler compiler = new FilterCompiler(schema(), _ -> true, 10, 10);

  private static Schema schema() {
    List<SchemaSource> sources = new ArrayList<>();
    for (String name : SchemaLoader.bundledNames()) {
      try (InputStream stream = SchemaLoader.class.getResourceAsStream(name)) {
        byte[] text = Objects.requireNonNull(stream).readAllBytes();
        sources.add(new SchemaSource(name, new String(text, StandardCharsets.UTF_8)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    sources.add(new SchemaSource("test.schema", DEFINITIONS));
    return SchemaLoader.load(sources);
  }

  private CompiledFilter compile(String attribute, String value) throws Exception {
    return compiler.compileOwn(
        new FilterNode.Equality(attribute, value.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @CsvSource({
    "nameForms,siteForm,1.2.3.21",
    "nameForms,PLACEFORM,1.2.3.21",
    "dITContentRules,siteContent,2.5.6.5",
    "dITContentRules,organizationalUnit,2.5.6.5",
    "objectClasses,organizationalUnit,2.5.6.5",
    "attributeTypes,CN,2.5.4.3",
    "ldapSyntaxes,1.3.6.1.4.1.1466.115.121.1.38,1.3.6.1.4.1.1466.115.121.1.38"
  })
  void shouldKnowTheNamesOfDefinitions(String attribute, String name, String oid) throws Exception {
    assertThat(compile(attribute, name))
        .asInstanceOf(type(CompiledFilter.ValueItem.class))
        .satisfies(
            test ->
                assertThat(new String(test.assertion(), StandardCharsets.US_ASCII)).isEqualTo(oid));
  }

  /** These values are compared as they are, as slapd stores them. */
  @ParameterizedTest
  @CsvSource({"nameForms,noform", "ldapSyntaxes,oid", "supportedFeatures,siteform"})
  void shouldCompareOthersAsTheyAre(String attribute, String name) throws Exception {
    assertThat(compile(attribute, name))
        .asInstanceOf(type(CompiledFilter.ValueItem.class))
        .satisfies(
            test ->
                assertThat(new String(test.assertion(), StandardCharsets.US_ASCII))
                    .isEqualTo(name));
  }
}
