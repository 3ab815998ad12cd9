package org.nyala.core.operation.search;

import java.util.List;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.session.ResponseSink;

/**
 * The marks that entries are sent with to a client that keeps a copy of them.
 *
 * <p>Confined to one running operation.
 */
public interface EntryMarks {
  /**
   * Deals with an entry of which the client has the present state.
   *
   * @return false if it has not, and the entry must be sent
   * @throws LdapOperationException if the entry cannot be marked
   */
  boolean isKnown(ResponseSink sink, ReadTransaction transaction, EntryView view)
      throws LdapOperationException;

  /**
   * Returns the controls of an entry.
   *
   * @throws LdapOperationException if the entry cannot be marked
   */
  List<ResponseControl> controls(ReadTransaction transaction, EntryView view)
      throws LdapOperationException;
}
