package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.DecoderFuzz;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.sync.ContentSynchronization;

/** The control of content synchronization in a directory that has the extension. */
class ContentSynchronizationTest {
  private static final String NEW = "ou=new," + TOP;
  private static final byte[] SAMPLE = SampleControls.value(ControlType.SYNC_REQUEST);

  private final UpdateFixture directory = new UpdateFixture();

  @BeforeEach
  void addAnEntryWithIdentity() {
    directory.extensions.add(ContentSynchronization.WITHOUT_LOGS);
    // Only entries with entryUUID can be synchronized.
    directory.run(add(NEW, "objectClass", "organizationalUnit", "ou", "new"));
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private static Request.Search asking(RequestControl... controls) {
    return with(search(NEW, Scope.SUBTREE, ALL), controls);
  }

  private static RequestControl control(ControlType type, byte[] value) {
    return new RequestControl(type.oid(), true, value);
  }

  @Test
  void shouldListTheControlAndBringACookie() {
    assertThat(directory.listed("supportedControl")).contains(ControlType.SYNC_REQUEST.oid());
    RecordingSink sink = directory.run(asking(control(ControlType.SYNC_REQUEST, SAMPLE)));
    assertThat(sink.dns).containsExactly(NEW);
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(sink.controlValues("1.3.6.1.4.1.4203.1.9.1.3")).hasSize(1);
  }

  @Test
  void shouldTakeNoPages() {
    ControlType pages = ControlType.PAGED_RESULTS;
    RequestControl[] both = {
      control(ControlType.SYNC_REQUEST, SAMPLE), control(pages, SampleControls.value(pages))
    };
    assertThat(directory.code(asking(both))).isEqualTo(ResultCode.PROTOCOL_ERROR);
  }

  @Test
  void shouldAnswerAnyValue() {
    DecoderFuzz.check(
        SAMPLE,
        value -> {
          RecordingSink sink = directory.run(asking(control(ControlType.SYNC_REQUEST, value)));
          if (sink.code() == ResultCode.PROTOCOL_ERROR) {
            throw new LdapOperationException(sink.results.getFirst());
          }
        });
  }
}
