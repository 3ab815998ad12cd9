package org.nyala.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;

/** Tests the words for failures. */
class ErrorMessagesTest {
  @Test
  void shouldNameNoClassOfWhatIsKnown() {
    assertThat(ErrorMessages.explain(new IOException("Input/output error")))
        .isEqualTo("the disk cannot be read or written to");
    assertThat(
            ErrorMessages.explain(new UncheckedIOException(new IOException("Input/output error"))))
        .isEqualTo("the disk cannot be read or written to");
    LmdbException closed = new Env.AlreadyClosedException();
    assertThat(ErrorMessages.explain(closed)).isEqualTo(closed.getMessage());
  }

  @Test
  void shouldNameTheClassOfWhatIsNotExpected() {
    assertThat(ErrorMessages.explain(new IllegalStateException("oh")))
        .isEqualTo("IllegalStateException: oh");
  }
}
