package org.nyala.core.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

class AttributeTableTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  private static AttributeDescription description(String text) {
    AttributeDescription description = AttributeDescription.parse(SCHEMA, text);
    assertThat(description).as(text).isNotNull();
    return description;
  }

  @Test
  void shouldNumberInOrderAndCountOptionsThatClientsMakeUp() {
    List<AttributeDescription> added =
        List.of(
            description("cn"),
            description("CN;lang-en"),
            description("userCertificate;binary"),
            description("userCertificate;binary;lang-en"));
    AttributeTable first = AttributeTable.EMPTY.with(description("sn"));
    AttributeTable table = first.with(added);
    assertThat(first.size()).isEqualTo(1);
    assertThat(table.size()).isEqualTo(5);
    assertThat(table.optionCount()).isEqualTo(2);
    for (int i = 0; i < added.size(); i++) {
      assertThat(table.id(added.get(i))).isEqualTo(i + 2);
      assertThat(table.description(i + 2)).isEqualTo(added.get(i));
    }
    assertThatThrownBy(() -> table.with(description("cn;LANG-EN")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldHaveNoMoreNumbersThanFitInARecord() {
    List<AttributeDescription> all = new ArrayList<>();
    for (int i = 0; i < AttributeTable.MAXIMUM_SIZE; i++) {
      all.add(description("cn;lang-" + i));
    }
    AttributeTable full = AttributeTable.EMPTY.with(all);
    assertThat(full.optionCount()).isEqualTo(AttributeTable.MAXIMUM_SIZE);
    assertThatThrownBy(() -> full.with(description("sn")))
        .isInstanceOf(IllegalStateException.class);
  }
}
