package org.nyala.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.nyala.core.filter.CompiledFilter.HasSubordinatesItem;
import org.nyala.core.filter.CompiledFilter.NumberItem;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.load.SchemaLoader;

class ComputedNumbersTest {
  private static final String NAME = "numSubordinates";
  private static final String HUGE = "9".repeat(4000);

  private final FilterCompiler compiler =
      new FilterCompiler(SchemaLoader.standard(), _ -> true, 10, 100);

  private CompiledFilter compile(FilterNode filter) {
    try {
      return compiler.compileOwn(filter);
    } catch (FilterLimitException e) {
      throw new AssertionError(e);
    }
  }

  private CompiledFilter equal(String value) {
    return compile(new FilterNode.Equality(NAME, value.getBytes(StandardCharsets.UTF_8)));
  }

  private CompiledFilter atLeast(String value) {
    return compile(new FilterNode.GreaterOrEqual(NAME, value.getBytes(StandardCharsets.UTF_8)));
  }

  private CompiledFilter atMost(String value) {
    return compile(new FilterNode.LessOrEqual(NAME, value.getBytes(StandardCharsets.UTF_8)));
  }

  private static NumberItem between(long least, long greatest) {
    return new NumberItem(NumberItem.Computed.SUBORDINATES, least, greatest);
  }

  @Test
  void shouldCountOnlyWhereThatIsNeeded() {
    assertThat(equal("2")).isEqualTo(between(2, 2));
    assertThat(atLeast("2")).isEqualTo(between(2, Long.MAX_VALUE));
    assertThat(atMost("2")).isEqualTo(between(Long.MIN_VALUE, 2));
    assertThat(atLeast("1")).isEqualTo(new HasSubordinatesItem(true));
    assertThat(equal("0")).isEqualTo(new HasSubordinatesItem(false));
    assertThat(atMost("0")).isEqualTo(new HasSubordinatesItem(false));
    assertThat(atLeast("0")).isEqualTo(CompiledFilter.Constant.TRUE);
    assertThat(atLeast("-5")).isEqualTo(CompiledFilter.Constant.TRUE);
    assertThat(equal("-1")).isEqualTo(CompiledFilter.Constant.FALSE);
    assertThat(compile(new FilterNode.Present(NAME))).isEqualTo(CompiledFilter.Constant.TRUE);
  }

  @Test
  void shouldTakeNumbersOfAnyLength() {
    assertThat(atMost(HUGE)).isEqualTo(CompiledFilter.Constant.TRUE);
    assertThat(atLeast("-" + HUGE)).isEqualTo(CompiledFilter.Constant.TRUE);
    assertThat(atMost("-" + HUGE)).isEqualTo(CompiledFilter.Constant.FALSE);
    assertThat(((NumberItem) atLeast(HUGE)).passes(Long.MAX_VALUE - 1)).isFalse();
  }

  @Test
  void shouldBeUndefinedForWhatIsNoNumber() {
    for (String value : new String[] {"", "x", "1.5", "0x1", "--1", "-", "1 2"}) {
      assertThat(equal(value)).as(value).isEqualTo(CompiledFilter.Constant.UNDEFINED);
      assertThat(atLeast(value)).as(value).isEqualTo(CompiledFilter.Constant.UNDEFINED);
    }
  }

  @Test
  void shouldPassNoEntryWithoutANumber() {
    assertThat(between(Long.MIN_VALUE, Long.MAX_VALUE).passes(-1)).isFalse();
    assertThat(between(2, 4).passes(4)).isTrue();
    assertThat(between(2, 4).passes(1)).isFalse();
    assertThat(between(2, 4).passes(5)).isFalse();
  }
}
