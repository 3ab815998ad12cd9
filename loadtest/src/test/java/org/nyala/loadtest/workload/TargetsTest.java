package org.nyala.loadtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.ldap.Filters;

class TargetsTest {
  @Test
  void shouldReadPatterns() {
    Targets.Range range = Targets.parse("uid=user.[0-99999]", Targets.Order.RANDOM, 0.99);
    assertThat(range.count()).isEqualTo(100_000);
    assertThat(range.values().hasNamesOf(Targets.PEOPLE)).isTrue();

    Targets.Range other = Targets.parse("mail=p[3-12]@example.com", Targets.Order.SEQUENTIAL, 1);
    assertThat(other.count()).isEqualTo(10);
    assertThat(other.values().rdn("4")).isEqualTo("mail=p4@example.com");
    assertThat(other.values().first()).isEqualTo(3);
    assertThat(Targets.parse("user.[0-9]", Targets.Order.RANDOM, 1).values().attribute())
        .isEqualTo("uid");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "user",
        "[5-3]",
        "uid=u[00-100]",
        "u[0-09]",
        "[1-2][3-4]",
        "u[1-99999999999]",
        "u[00000000001-00000000002]",
        "u[1-99999999999999999999]"
      })
  void shouldRejectPatternsThatAreNone(String pattern) {
    assertThatThrownBy(() -> Targets.parse(pattern, Targets.Order.RANDOM, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--values");
  }

  @Test
  void shouldReadNumbersWithLeadingZeros() {
    Targets.Range range = Targets.parse("uid=user.[00000-99999]", Targets.Order.RANDOM, 0.99);
    assertThat(range.count()).isEqualTo(100_000);
    assertThat(range.values().width()).isEqualTo(5);
    assertThat(range.values().hasNamesOf(Targets.PEOPLE)).isFalse();
    assertThat(Targets.parse("u[08-11]", Targets.Order.RANDOM, 1).values().first()).isEqualTo(8);
    assertThat(Targets.parse("u[0-9]", Targets.Order.RANDOM, 1).values().width()).isZero();
    assertThat(Targets.parse("u[10-99]", Targets.Order.RANDOM, 1).values().width()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(uid=user.1)",
        "(cn=*)",
        "(&(uid=a)(|(sn=b*)(sn=*c*d*e))(!(l>=5)))",
        "(l<=x)",
        "(cn~=about)",
        "(cn:dn:2.5.13.2:=x)",
        "(:caseExactMatch:=x)",
        "(cn:=x)",
        "(&)",
        "(cn=a\\2ab\\28\\c3\\a4)",
        "(cn=ä)"
      })
  void shouldEncodeFiltersAsOthersDo(String filter) throws Exception {
    assertThat(Filters.encode(filter)).isEqualTo(Filter.create(filter).encode().encode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "(", "()", "uid=x", "(uid)", "(uid=x", "(uid=x))", "(a=\\zz)", "(&(a=b)"})
  void shouldRejectFiltersThatAreNone(String filter) {
    assertThatThrownBy(() -> Filters.encode(filter)).isInstanceOf(IllegalArgumentException.class);
  }
}
