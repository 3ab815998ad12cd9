package org.nyala.server;

import java.io.IOException;
import org.nyala.config.NyalaConfig;
import org.nyala.core.sasl.KerberosProperties;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;

/**
 * The configuration of Kerberos in the process of a server, until it is closed.
 *
 * <p>Thread-safe.
 */
final class ConfiguredKerberos implements AutoCloseable {
  private static final String KRB5_CONF = "nyala.sasl.gssapi.krb5Conf";

  private ConfiguredKerberos() {}

  /**
   * Takes over what a configuration says, which is accepted but for that.
   *
   * @throws ConfigurationException if its {@code krb5Conf} cannot be used; nothing was changed then
   */
  static ConfiguredKerberos takeOver(NyalaConfig configuration) {
    try {
      KerberosProperties.takeOver(configuration.access().sasl().gssapi());
      return new ConfiguredKerberos();
    } catch (IOException e) {
      throw ConfigurationException.of(KRB5_CONF, ErrorMessages.reason(e));
    }
  }

  /** Puts back what the process was started with. */
  @Override
  public void close() {
    KerberosProperties.putBack();
  }
}
