package org.nyala.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Filter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {
  @Test
  void shouldReadPatterns() {
    Values.Range range = Values.parse("uid=user.[0-99999]", Values.Order.RANDOM, 0.99);
    assertThat(range.count()).isEqualTo(100_000);
    assertThat(range.values().hasNamesOf(Values.PEOPLE)).isTrue();

    Values.Range other = Values.parse("mail=p[3-12]@example.com", Values.Order.SEQUENTIAL, 1);
    assertThat(other.count()).isEqualTo(10);
    assertThat(other.values().rdn("4")).isEqualTo("mail=p4@example.com");
    assertThat(other.values().first()).isEqualTo(3);
    assertThat(Values.parse("user.[0-9]", Values.Order.RANDOM, 1).values().attribute())
        .isEqualTo("uid");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "user", "[5-3]", "uid=u[00-99]", "[1-2][3-4]", "u[1-99999999999]"})
  void shouldRejectPatternsThatAreNone(String pattern) {
    assertThatThrownBy(() -> Values.parse(pattern, Values.Order.RANDOM, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--values");
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

  @Test
  void shouldReadTimesOfDayOverMidnight(@TempDir Path directory) throws Exception {
    Path log = directory.resolve("log");
    Files.writeString(
        log,
        """
        Nov 21 23:59:59 host slapd[1]: conn=1 op=1 SRCH base="" scope=0 deref=0 filter="(a=b)"
        Nov 22 00:00:01 host slapd[1]: conn=1 op=2 SRCH base="o=x" scope=1 deref=0 filter="(a=\\29)"
        Nov 22 00:00:01 host slapd[1]: conn=1 op=2 SRCH attr=cn
        Nov 22 00:00:02 host slapd[1]: conn=1 op=3 UNBIND
        """);
    assertThat(Replay.read(log, 1).nanos()).isEqualTo(List.of(0L, 2_000_000_000L));
    assertThatThrownBy(() -> Replay.read(log, 0)).hasMessageContaining("--speed");

    Files.writeString(log, "conn=1 op=1 SRCH base=\"\" scope=0 deref=0 filter=\"(a=b)\"\n");
    assertThatThrownBy(() -> Replay.read(log, 1)).hasMessageContaining("no time");
    Files.writeString(log, "nothing\n");
    assertThatThrownBy(() -> Replay.read(log, 1)).hasMessageContaining("without searches");
  }
}
