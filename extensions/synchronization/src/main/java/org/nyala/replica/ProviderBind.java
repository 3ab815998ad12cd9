package org.nyala.replica;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.CRAMMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequestProperties;
import com.unboundid.ldap.sdk.EXTERNALBindRequest;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA1BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA512BindRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The requests by which a server binds to another one. Stateless. */
final class ProviderBind {
  private ProviderBind() {}

  /**
   * Returns the request of an identity; null for nobody.
   *
   * @param host the name of the other server, which Kerberos knows it by
   * @throws IOException if the file of its password cannot be read
   */
  static @Nullable BindRequest request(ProviderLogin login, String host)
      throws LDAPException, IOException {
    String user = Objects.requireNonNullElse(login.user(), "");
    String dn = Objects.requireNonNullElse(login.dn(), "");
    String password = login.currentPassword();
    return switch (login.mechanism()) {
      case ProviderLogin.ANONYMOUS -> null;
      case ProviderLogin.SIMPLE -> new SimpleBindRequest(dn, password);
      case ProviderLogin.PLAIN -> new PLAINBindRequest(user, password);
      case ProviderLogin.EXTERNAL -> new EXTERNALBindRequest();
      case ProviderLogin.SCRAM_SHA_1 -> new SCRAMSHA1BindRequest(user, password);
      case ProviderLogin.SCRAM_SHA_256 -> new SCRAMSHA256BindRequest(user, password);
      case ProviderLogin.SCRAM_SHA_512 -> new SCRAMSHA512BindRequest(user, password);
      case ProviderLogin.CRAM_MD5 -> new CRAMMD5BindRequest(user, password);
      case ProviderLogin.DIGEST_MD5 -> digest(login, user, password);
      case ProviderLogin.GSSAPI -> new KerberosBindRequest(login, host);
      default -> throw new IllegalArgumentException(login.mechanism());
    };
  }

  private static BindRequest digest(ProviderLogin login, String user, String password) {
    DIGESTMD5BindRequestProperties properties = new DIGESTMD5BindRequestProperties(user, password);
    properties.setRealm(login.realm());
    return new DIGESTMD5BindRequest(properties);
  }
}
