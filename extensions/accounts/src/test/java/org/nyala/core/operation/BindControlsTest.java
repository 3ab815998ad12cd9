package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.ControlledEntries.ANN;
import static org.nyala.core.operation.ControlledEntries.TOP;
import static org.nyala.core.operation.ControlledEntries.control;
import static org.nyala.core.operation.ControlledEntries.entries;
import static org.nyala.core.session.OperationFixture.bytes;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;

final class BindControlsTest {
  private static final String AUTHORIZATION_RESPONSE = "2.16.840.1.113730.3.4.15";
  private static final String ROOT = "cn=admin,dc=example,dc=com";

  private final OperationFixture directory = new OperationFixture().store(entries(), false);

  @Test
  void shouldTellTheAuthorizationIdentityWithTheBind() {
    RequestControl asks = control(ControlType.AUTHORIZATION_IDENTITY, null);
    assertThat(authorization(ANN, "secret", asks)).isEqualTo("dn:" + ANN);
    assertThat(authorization("CN=Admin," + TOP, "rootpw", asks)).isEqualTo("dn:" + ROOT);
    assertThat(authorization("", "", asks)).isEmpty();
    assertThat(directory.run(bind(ANN, "secret")).results.getFirst().controls()).isEmpty();
    RecordingSink failed = directory.run(bind(ANN, "wrong", asks));
    assertThat(failed.code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(failed.results.getFirst().controls()).isEmpty();
  }

  private static Request.Bind bind(String name, String password, RequestControl... controls) {
    return new Request.Bind(1, 3, name, null, bytes(password), List.of(controls));
  }

  private String authorization(String name, String password, RequestControl... controls) {
    RecordingSink sink = directory.run(bind(name, password, controls));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
    List<byte[]> values = sink.controlValues(AUTHORIZATION_RESPONSE);
    assertThat(values).hasSize(1);
    return new String(values.getFirst(), StandardCharsets.UTF_8);
  }
}
