package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTableTest {
  private final ReportTable<Integer> table =
      new ReportTable<Integer>()
          .column("number", number -> Integer.toString(number))
          .column("its square", number -> Integer.toString(number * number));

  @Test
  void shouldWriteMarkdown() {
    assertThat(table.markdown(List.of(2, 12)))
        .isEqualTo("| number | its square |\n|---|--:|\n| 2 | 4 |\n| 12 | 144 |\n");
    assertThat(ReportTable.markdown(Map.of("disk", "fast")))
        .isEqualTo("|  |  |\n|---|--:|\n| disk | fast |\n");
  }

  @Test
  void shouldAlignColumnsForATerminal() {
    assertThat(table.text(List.of(2, 12)).lines())
        .containsExactly("number  its square", "2                4", "12             144");
  }
}
