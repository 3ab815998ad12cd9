package org.nyala.core.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.update.RulesFixture.bytes;
import static org.nyala.core.update.RulesFixture.description;

import java.util.List;
import org.junit.jupiter.api.Test;

class ValueSetTest {
  @Test
  void shouldCompareByTheEqualityRule() {
    ValueSet set = new ValueSet(description("cn").type());

    assertThat(set.add(bytes("A  b"))).isTrue();
    assertThat(set.add(bytes("a B"))).isFalse();
    assertThat(set.contains(bytes(" a b "))).isTrue();
    assertThat(set.toList()).containsExactly(bytes("A  b"));
    assertThat(set.remove(bytes("a b"))).isEqualTo(bytes("A  b"));
    assertThat(set.remove(bytes("a b"))).isNull();
    assertThat(set.isEmpty()).isTrue();
  }

  @Test
  void shouldCompareBytesWhereThereIsNoRule() {
    ValueSet set = ValueSet.of(description("raw").type(), List.of(bytes("a"), bytes("A")));

    assertThat(set.size()).isEqualTo(2);
    assertThat(set.contains(bytes("a"))).isTrue();
    assertThat(set.contains(bytes(" a"))).isFalse();
  }

  @Test
  void shouldTellInvalidValuesFromValidOnes() {
    ValueSet set = ValueSet.of(description("number").type(), List.of(bytes("1"), bytes("one")));

    assertThat(set.add(bytes("one"))).isFalse();
    assertThat(set.add(bytes("01"))).isFalse();
    assertThat(set.size()).isEqualTo(2);
  }

  @Test
  void shouldKeepTheOrderAndCopyApart() {
    ValueSet set =
        ValueSet.of(description("cn").type(), List.of(bytes("c"), bytes("a"), bytes("b")));
    ValueSet copy = set.copy();
    copy.remove(bytes("a"));
    copy.add(bytes("A"));

    assertThat(set.toList()).containsExactly(bytes("c"), bytes("a"), bytes("b"));
    assertThat(copy.toList()).containsExactly(bytes("c"), bytes("b"), bytes("A"));
  }
}
