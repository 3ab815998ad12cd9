package org.nyala.core.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.schema.load.SchemaAdditions;
import org.nyala.core.schema.load.SchemaLoader;

final class SecretTypesTest {
  private static final String OCTETS = "1.3.6.1.4.1.1466.115.121.1.40";

  private static boolean isSecret(String oid, String syntax) {
    String definition = "( " + oid + " NAME 'another' SYNTAX " + syntax + " )";
    Schema schema = SchemaAdditions.extend(SchemaLoader.standard(), List.of(definition), List.of());
    AttributeType type = schema.attributeType("another");
    assertThat(type).isNotNull();
    return type.isSecret();
  }

  /** The types of Samba, MIT Kerberos and Heimdal. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.3.6.1.4.1.7165.2.1.1",
        "1.3.6.1.4.1.7165.2.1.2",
        "1.3.6.1.4.1.7165.2.1.24",
        "1.3.6.1.4.1.7165.2.1.25",
        "1.3.6.1.4.1.7165.2.1.54",
        "1.3.6.1.4.1.7165.2.1.68",
        "1.3.6.1.4.1.7165.2.1.69",
        "2.16.840.1.113719.1.301.4.39.1",
        "2.16.840.1.113719.1.301.4.44.1",
        "2.16.840.1.113719.1.301.4.46.1",
        "1.3.6.1.4.1.5322.10.1.10"
      })
  void shouldIncludeTypesInGeneralUseByAnyName(String oid) {
    assertThat(isSecret(oid, OCTETS)).isTrue();
  }

  @Test
  void shouldIncludeTheSyntaxOfAuthPassword() {
    assertThat(isSecret("1.2.3.4", "1.3.6.1.4.1.4203.1.1.2")).isTrue();
    assertThat(isSecret("1.2.3.4", OCTETS)).isFalse();
  }

  @Test
  void shouldTakeObjectIdentifiersOfListedNamesAlone() {
    SecretTypes listed = SecretTypes.of(List.of("SAMBANTPASSWORD"));
    Syntax octets = SchemaLoader.standard().syntax(OCTETS);
    assertThat(octets).isNotNull();
    assertThat(listed.include("1.3.6.1.4.1.7165.2.1.25", List.of("x"), octets, null)).isTrue();
    assertThat(listed.include("1.3.6.1.4.1.7165.2.1.24", List.of("x"), octets, null)).isFalse();
    assertThat(listed.names()).containsExactly("SAMBANTPASSWORD");
  }
}
