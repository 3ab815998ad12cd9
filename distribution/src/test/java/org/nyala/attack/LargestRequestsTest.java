package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.nyala.attack.LargestRequests.Family;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.operation.RequestKinds;
import org.nyala.core.operation.SampleExtensions;
import org.nyala.core.sasl.SaslMechanism;

/** Tests that requests are generated for everything that the server supports. */
class LargestRequestsTest {
  private static final List<Family> FAMILIES = LargestRequests.families();

  private static Set<String> kinds(String prefix) {
    return FAMILIES.stream()
        .map(Family::kind)
        .filter(kind -> kind.startsWith(prefix))
        .map(kind -> kind.substring(prefix.length()))
        .collect(Collectors.toSet());
  }

  private static Set<String> names(Object... values) {
    return Arrays.stream(values).map(Object::toString).collect(Collectors.toSet());
  }

  @Test
  void shouldGenerateForEveryControl() {
    assertThat(kinds("control ")).isEqualTo(names((Object[]) ControlType.values()));
    assertThat(kinds("mechanism ")).isEqualTo(names((Object[]) SaslMechanism.values()));
    assertThat(kinds("extension ")).isEqualTo(new HashSet<>(SampleExtensions.oids()));
  }

  @Test
  void shouldGenerateForEveryOperationAndKindOfFilter() {
    Set<Class<?>> filters =
        LargestRequests.kindsOfFilters("cn", new byte[1]).stream()
            .map(FilterNode::getClass)
            .collect(Collectors.toSet());
    assertThat(filters).containsExactlyInAnyOrder(FilterNode.class.getPermittedSubclasses());
    Set<Class<?>> operations =
        RequestKinds.all().stream().map(Request::getClass).collect(Collectors.toSet());
    assertThat(operations).containsExactlyInAnyOrder(Request.class.getPermittedSubclasses());
  }

  @Test
  void shouldGenerateLargeRequestsInEveryFamily() {
    for (Family family : FAMILIES) {
      assertThat(family.forms()).as(family.kind()).isNotEmpty();
      int largest = 0;
      for (LargestRequests.Form form : family.forms()) {
        byte[] message = form.ofBytes(50_000).message().apply(2);
        largest = Math.max(largest, message.length);
        assertThat(message.length).as(form.name()).isLessThan(70_000);
      }
      assertThat(largest).as(family.kind()).isGreaterThan(30_000);
    }
  }
}
