package org.nyala.loadtest.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShownWordsTest {
  @Test
  void shouldHidePasswords() {
    assertThat(
            ShownWords.withoutPasswords(
                List.of("a", "--password=b", "--password", "c", "--person-password=e", "d")))
        .containsExactly("a", "--password=***", "--password", "***", "--person-password=***", "d");
  }
}
