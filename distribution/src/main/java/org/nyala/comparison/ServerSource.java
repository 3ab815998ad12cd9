package org.nyala.comparison;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.nyala.error.ErrorMessages;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderConnection;

/**
 * The entries that a server shows to an identity. A connection is open only while it is read.
 *
 * <p>Confined to one thread.
 */
public final class ServerSource implements EntrySource {
  private final ProviderAccess access;
  private final EntryAssembly assembly;
  private final String base;

  /**
   * Takes a server, to which no connection is made yet.
   *
   * @param base the name of the entry at the top of what is compared
   */
  public ServerSource(ProviderAccess access, EntryAssembly assembly, String base) {
    this.access = access;
    this.assembly = assembly;
    this.base = base;
  }

  @Override
  public String label() {
    return access.url().toString();
  }

  @Override
  public void read(Consumer<ComparedEntry> reader) throws IOException {
    String[] wanted = assembly.isOperational() ? new String[] {"*", "+"} : new String[] {"*"};
    try (ProviderConnection server = ProviderConnection.open(access, _ -> {})) {
      ServerEntries.read(server, base, entry -> reader.accept(assemble(entry)), wanted);
    } catch (LDAPException e) {
      throw new IOException(label() + ": " + ErrorMessages.printable(ErrorMessages.line(e)), e);
    } catch (UncheckedIOException e) {
      throw new IOException(label() + ": " + ErrorMessages.line(ErrorMessages.root(e)), e);
    }
  }

  private ComparedEntry assemble(SearchResultEntry entry) {
    try {
      assembly.begin(entry.getDN().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (Attribute attribute : entry.getAttributes()) {
      for (byte[] value : attribute.getValueByteArrays()) {
        assembly.add(attribute.getName(), value);
      }
    }
    return assembly.end();
  }
}
