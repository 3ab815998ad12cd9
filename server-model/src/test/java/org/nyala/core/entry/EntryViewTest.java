package org.nyala.core.entry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.bytes.ByteAppender;

class EntryViewTest {
  private static EntryView view(String rdn, String parent) {
    ByteAppender record = new ByteAppender(64);
    new EntryRecordWriter().begin(1, rdn.getBytes(UTF_8), 0).finish(record);
    EntryView view = new EntryView();
    view.wrap(2, ByteBuffer.wrap(record.toByteArray()), 0, parent.getBytes(UTF_8));
    return view;
  }

  @Test
  void shouldKnowTheNameAsItIsPresented() {
    assertThat(view("uid=ann", "dc=example").isPresentedAs("uid=ann,dc=example".getBytes(UTF_8)))
        .isTrue();
    assertThat(view("dc=example", "").isPresentedAs("dc=example".getBytes(UTF_8))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "uid=anN,dc=example",
        "Uid=ann,dc=example",
        "uid=ann;dc=example",
        "uid=ann+dc=example",
        "uid=ann,dc=examplE",
        "uid=ann,dc=exampl",
        "uid=ann, dc=example",
        "uid=ann"
      })
  void shouldKnowNoOtherPresentation(String other) {
    assertThat(view("uid=ann", "dc=example").isPresentedAs(other.getBytes(UTF_8))).isFalse();
  }
}
