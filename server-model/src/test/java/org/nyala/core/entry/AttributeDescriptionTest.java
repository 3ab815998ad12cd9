package org.nyala.core.entry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.schema.AttributeOptions;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.SchemaLoader;

class AttributeDescriptionTest {
  private final Schema schema = SchemaLoader.standard();

  @ParameterizedTest
  @CsvSource({
    "cn,                      cn,               true",
    "cn,                      name,             true",
    "name,                    cn,               false",
    "cn;lang-nb,              CN,               true",
    "cn,                      cn;lang-nb,       false",
    "cn;lang-nb,              name;LANG-nb,     true",
    "cn;lang-nb,              cn;lang-,         true",
    "cn;lang-fr,              cn;lang-fr-,      true",
    "cn;lang-fr-ca,           cn;lang-fr-,      true",
    "cn;lang-fr-ca,           cn;lang-fr-ca-,   true",
    "cn;lang-fr,              cn;lang-fr-ca-,   false",
    "cn;lang-frr,             cn;lang-fr-,      false",
    "cn,                      cn;lang-,         false",
    "userCertificate;binary,  userCertificate;lang-, false",
    "cn;lang-fr;x-a,          cn;lang-fr-;x-a,  true",
    "cn;lang-fr,              cn;lang-fr-;x-a,  false",
    "cn;x-a,                  cn;x-,            true",
    "cn;x-a,                  cn;x-b-,          false"
  })
  void shouldTellWhatBelongsToWhatARequestNames(String stored, String requested, boolean expected) {
    AttributeDescription values = AttributeDescription.parse(schema, stored);
    assertThat(values).isNotNull();
    assertThat(values.isSubtypeOf(AttributeDescription.parse(schema, requested)))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "cn,                     ",
    "cn;lang-en;LANG-de,     ",
    "cn;x-hidden,            ",
    "cn;x-hidden-not,        unknown option 'x-hidden-not'",
    "cn;y-a,                 ",
    "cn;y,                   unknown option 'y'",
    "cn;lang-,               unknown option 'lang-'",
    "cn;binary,              cn does not take the option binary",
    "certificateRevocationList, certificateRevocationList needs the option binary",
    "certificateRevocationList;binary, ",
    "certificateRevocationList;binary;z, unknown option 'z'"
  })
  void shouldTellWhatIsNotStored(String text, @Nullable String expected) {
    AttributeOptions known = AttributeOptions.of(List.of("lang-", "X-Hidden", "y-"));
    AttributeDescription description = AttributeDescription.parse(schema, text);
    assertThat(description).isNotNull();
    String obstacle = description.obstacle(known);
    if (expected == null) {
      assertThat(obstacle).isNull();
    } else {
      assertThat(obstacle).contains(expected);
    }
  }

  @Test
  void shouldKnowRangesOfWhatIsKnown() {
    Schema more = schema.withAttributeOptions(AttributeOptions.of(List.of("lang-", "x-a")));
    AttributeOptions known =
        ExtendedSchema.of(more)
            .with(
                List.of(ExtendedSchema.parse(DefinitionKind.ATTRIBUTE_TYPE, "( 1.2.3.4 SUP cn )")))
            .schema()
            .attributeOptions();
    assertThat(known.isKnown("lang-en-")).isTrue();
    assertThat(known.isKnown("x-a")).isTrue();
    assertThat(known.isKnown("x-a-")).isFalse();
    assertThat(schema.attributeOptions().isKnown("x-a")).isFalse();
  }
}
