package org.nyala.core.entry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaLoader;

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
    "cn;x-a,                  cn;x-,            false"
  })
  void shouldTellWhatBelongsToWhatARequestNames(String stored, String requested, boolean expected) {
    AttributeDescription values = AttributeDescription.parse(schema, stored);
    assertThat(values).isNotNull();
    assertThat(values.isSubtypeOf(AttributeDescription.parse(schema, requested)))
        .isEqualTo(expected);
  }
}
