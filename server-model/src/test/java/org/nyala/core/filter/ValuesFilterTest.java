package org.nyala.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Tests the selection of values by many items. */
final class ValuesFilterTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int ITEMS = 3500;

  private static AttributeDescription attribute(String name) {
    return Objects.requireNonNull(AttributeDescription.parse(SCHEMA, name));
  }

  private static ValuesFilter filter(List<FilterNode> items) throws FilterLimitException {
    FilterCompiler compiler = new FilterCompiler(SCHEMA, type -> !type.isSecret(), 64, 10_000);
    Compilation compilation = new Compilation(_ -> true).begin(Pace.UNBOUNDED);
    return Objects.requireNonNull(compiler.compileValues(items, compilation));
  }

  private static ValuesFilter manyItems() throws FilterLimitException {
    List<FilterNode> items = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      items.add(new FilterNode.Extensible("2.5.13.2", null, ("value " + i).getBytes(UTF_8), false));
    }
    return filter(items);
  }

  @Test
  void shouldLookAtTheClockAsItFindsTheItemsOfAnAttribute() throws Exception {
    ValuesFilter filter = manyItems();
    AttributeDescription cn = attribute("cn");
    int slices = 0;
    ValuesFilter.OfAttribute items = null;
    while (items == null) {
      filter.begin(() -> false);
      // Descriptions are read anew in each slice.
      items = filter.of(attribute(slices % 2 == 0 ? "cn" : "CN"));
      slices++;
    }
    assertThat(slices).isGreaterThan(ITEMS / 64);
    filter.begin(Pace.UNBOUNDED);
    assertThat(filter.of(cn)).isSameAs(items);
    assertThat(filter.matches(items, "VALUE  17".getBytes(UTF_8))).isTrue();
    assertThat(filter.matches(items, ("value " + ITEMS).getBytes(UTF_8))).isFalse();
  }

  @Test
  void shouldForgetItemsOfManyAttributes() throws Exception {
    ValuesFilter filter = manyItems();
    filter.begin(Pace.UNBOUNDED);
    ValuesFilter.OfAttribute first = filter.of(attribute("cn"));
    for (int i = 1; i < 4096 / ITEMS; i++) {
      filter.of(attribute("cn;lang-x" + i));
    }
    assertThat(filter.of(attribute("cn"))).isSameAs(first);
    filter.of(attribute("cn;lang-y"));
    assertThat(filter.of(attribute("cn"))).isNotNull().isNotSameAs(first);
  }
}
