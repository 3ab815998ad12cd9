package org.nyala.replica;

import com.sun.security.auth.module.Krb5LoginModule;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.BindResult;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SASLBindRequest;
import java.util.Map;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.LoginException;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;
import org.jspecify.annotations.Nullable;
import org.nyala.error.ErrorMessages;

/**
 * A bind by GSSAPI with the keys of a keytab, without a layer: TLS encrypts. That of the SDK would
 * set properties of the whole process, which Nyala's own Kerberos depends on.
 *
 * <p>Confined to one thread.
 */
@SuppressWarnings("serial")
final class KerberosBindRequest extends SASLBindRequest {
  private static final Control[] NO_CONTROLS = {};
  private static final String SERVICE = "ldap";

  private final transient ProviderLogin login;
  private final String host;

  /**
   * Prepares a bind.
   *
   * @param login the principal and its keytab
   * @param host the name of the server
   */
  KerberosBindRequest(ProviderLogin login, String host) {
    super(NO_CONTROLS);
    this.login = login;
    this.host = host;
  }

  @Override
  public String getSASLMechanismName() {
    return ProviderLogin.GSSAPI;
  }

  @Override
  protected BindResult process(LDAPConnection connection, int depth) throws LDAPException {
    try {
      return Subject.callAs(subject(), () -> exchange(connection));
    } catch (CompletionException e) {
      throw e.getCause() instanceof LDAPException known ? known : failure(e);
    } catch (LoginException e) {
      throw failure(e);
    }
  }

  private static LDAPException failure(Throwable cause) {
    return new LDAPException(
        ResultCode.LOCAL_ERROR,
        "Kerberos: " + ErrorMessages.line(ErrorMessages.root(cause)),
        cause);
  }

  /** Fetches a ticket of the KDC. */
  private Subject subject() throws LoginException {
    String realm = login.realm();
    Subject subject = new Subject();
    Krb5LoginModule module = new Krb5LoginModule();
    module.initialize(
        subject,
        callbacks -> {
          throw new UnsupportedCallbackException(callbacks[0]);
        },
        Map.of(),
        Map.of(
            "refreshKrb5Config", "false",
            "storeKey", "true",
            "doNotPrompt", "true",
            "useKeyTab", "true",
            "keyTab", String.valueOf(login.keytab()),
            "principal", login.user() + (realm == null ? "" : "@" + realm)));
    if (!module.login() || !module.commit()) {
      throw new LoginException("there is no key");
    }
    return subject;
  }

  private BindResult exchange(LDAPConnection connection) throws LDAPException, SaslException {
    SaslClient client =
        Sasl.createSaslClient(
            new String[] {ProviderLogin.GSSAPI},
            null,
            SERVICE,
            host,
            Map.of(Sasl.QOP, "auth", Sasl.SERVER_AUTH, "true"),
            callbacks -> {
              throw new UnsupportedCallbackException(callbacks[0]);
            });
    try {
      BindResult result = send(connection, client.evaluateChallenge(new byte[0]));
      while (result.getResultCode().equals(ResultCode.SASL_BIND_IN_PROGRESS)) {
        ASN1OctetString challenge = result.getServerSASLCredentials();
        byte[] response =
            client.evaluateChallenge(challenge == null ? new byte[0] : challenge.getValue());
        result = send(connection, response);
      }
      if (result.getResultCode().equals(ResultCode.SUCCESS) && !client.isComplete()) {
        throw new SaslException("the server has not proven who it is");
      }
      return result;
    } finally {
      client.dispose();
    }
  }

  private BindResult send(LDAPConnection connection, byte[] response) throws LDAPException {
    return sendBindRequest(
        connection,
        "",
        new ASN1OctetString(response == null ? new byte[0] : response),
        NO_CONTROLS,
        getResponseTimeoutMillis(connection));
  }

  @Override
  public KerberosBindRequest duplicate() {
    return duplicate(NO_CONTROLS);
  }

  @Override
  public KerberosBindRequest duplicate(Control @Nullable [] controls) {
    return new KerberosBindRequest(login, host);
  }

  @Override
  public void toString(StringBuilder target) {
    target.append("KerberosBindRequest(").append(login).append(')');
  }
}
